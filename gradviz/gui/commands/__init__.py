"""What the actions do: a class per field."""

from gradviz.gui.commands.arranging import Arranging
from gradviz.gui.commands.asking import Asking
from gradviz.gui.commands.base import Commands
from gradviz.gui.commands.building import Building
from gradviz.gui.commands.copying import Copying
from gradviz.gui.commands.editing import Editing
from gradviz.gui.commands.files import Files
from gradviz.gui.commands.helping import Helping
from gradviz.gui.commands.playing import Playing
from gradviz.gui.commands.selecting import Selecting
from gradviz.gui.commands.values import Values
from gradviz.gui.commands.viewing import Viewing
from gradviz.gui.commands.wiring import Wiring

COMMANDS: tuple[type[Commands], ...] = (
    Files,
    Editing,
    Copying,
    Selecting,
    Viewing,
    Building,
    Values,
    Wiring,
    Arranging,
    Asking,
    Playing,
    Helping,
)
