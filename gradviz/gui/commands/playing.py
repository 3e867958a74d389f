"""The film."""

from __future__ import annotations

from gradviz.gui.commands.base import Commands


class Playing(Commands):
    """The film."""

    def play(self) -> None:
        """Play or pause."""
        self.player.toggle()

    def step_forward(self) -> None:
        """One step on."""
        self.player.forward()

    def step_back(self) -> None:
        """One step back."""
        self.player.back()

    def to_start(self) -> None:
        """Before the first step."""
        self.player.to_start()

    def to_boundary(self) -> None:
        """Between forward and backward."""
        self.player.to_boundary()

    def to_end(self) -> None:
        """After the last step."""
        self.player.to_end()

    def run(self) -> None:
        """Play the whole film."""
        self.player.to_start()
        self.player.play()
