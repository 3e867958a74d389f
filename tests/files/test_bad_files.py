"""What is refused, where the message points, and what it says."""

import json

import pytest

from gradviz.errors import FileError
from gradviz.files import native

GOOD = {
    "gradviz": 1,
    "graph": {
        "nodes": [
            {"id": "X", "op": "variable", "name": "X"},
            {"id": "s", "op": "sum", "name": "s", "inputs": ["X"]},
            {"id": "y", "op": "add", "name": "y", "inputs": ["s", "s"]},
        ]
    },
    "values": {"X": [[1, 2], [3, 4]]},
}
NODE = "$.graph.nodes[1]"


def changed(**sections):
    return json.dumps({**GOOD, **sections}, indent=1)


def node(**keys):
    """The good document with keys of its second node changed."""
    nodes = [dict(line) for line in GOOD["graph"]["nodes"]]
    nodes[1].update(keys)
    return changed(graph={"nodes": nodes})


def value(data, **attributes):
    """The good document with the value of X changed."""
    nodes = [dict(line) for line in GOOD["graph"]["nodes"]]
    nodes[0]["attributes"] = attributes
    return changed(graph={"nodes": nodes}, values={"X": data})


def text(old, new):
    """The good document with a piece of its text replaced."""
    document = json.dumps(GOOD)
    assert old in document
    return document.replace(old, new, 1)


SYNTAX = {
    "empty": ("", "", "The file is empty."),
    "blank": (" \r\n\t ", "", "The file is empty."),
    "truncated": (json.dumps(GOOD)[:40], "line 1, column 41", "ends too early"),
    "unterminated": ('{"gradviz', "line 1, column 2", "the text that starts here never ends"),
    "comma": ('{"gradviz": 1,}', "line 1, column 15", "a key in double quotes is missing"),
    "no comma": ('{\n"a": 1\n"b": 2}', "line 3, column 1", "a comma or a closing bracket"),
    "no colon": ('{"a" 1}', "line 1, column 6", "a colon is missing"),
    "comment": ("// c\n{}", "line 1, column 1", "a value is missing or misspelt"),
    "tail": ("{}\n{}", "line 2, column 1", "more follows"),
    "duplicate": ('{"a": {"b": 1,\n"c": 2, "b": 3}}', "line 2, column 9", '"b" stands twice'),
    "escaped duplicate": ('{"ab": 1, "a\\u0062": 3}', "line 1, column 11", '"ab" stands twice'),
    "NaN": (text("[1, 2]", "[NaN, 2]"), "line 1, column", 'write it in quotes: "NaN"'),
    "-Infinity": (text("[1, 2]", "[-Infinity, 2]"), "line 1, column", '"-Infinity"'),
    "1e400": (text("[1, 2]", "[1, -1e400]"), "line 1, column", "-1e400 is too large for 64 bits"),
    "int64": (text("[1, 2]", f"[{2**63}, 2]"), "line 1, column", "needs more than 64 bits"),
    "5,000 digits": (text("[1, 2]", "[1" + "0" * 4999 + ", 2]"), "line 1", "has 5,000 digits"),
    "long fraction": (text("[1, 2]", "[0." + "1" * 9999 + "]"), "line 1", "10,001 digits"),
    "control character": ('{"a\tb": 1}', "line 1, column 4", "control character"),
    "escape": ('{"a\\x": 1}', "line 1, column 4", "escape is not known"),
    "lone surrogate": ('{"a\\\\\\ud800": 1}', "line 1, column 6", "half a character"),
    "second half": ('\n{"\\udc00": 1}', "line 2, column 3", "half a character"),
    "byte order mark": ("\ufeff{}", "line 1, column 1", "byte order mark"),
    "latin-1": (b'{\n"a": "\xfc"}', "line 2, column 7", "Byte 0xfc is not UTF-8"),
    "utf-16": (json.dumps(GOOD).encode("utf-16"), "line 1, column 1", "not UTF-8"),
    "cut in a character": ("é".encode()[:1], "line 1, column 1", "not UTF-8"),
    "surrogate pair as bytes": (b'"\xed\xa0\xbd\xed\xb8\x80"', "line 1, column 2", "not UTF-8"),
    "deep": ("[" * 65 + "]" * 65, "line 1, column 65", "more than 64 levels"),
    "deep, never closed": ('{"a":\n' * 100_000, "line 65, column 1", "more than 64 levels"),
    "containers": ("[" + "[],\n" * 600_000 + "1]", "line 600000, column 1", "600,000 lists"),
    "numbers": ("[" + "1e5,\n" * 10**6 + "-2]", "line 1000001, column 1", "1,000,000 numbers"),
    "texts": ("[" + '"",\n' * 2_000_001 + "1]", "line 2000001, column 1", "2,000,000 texts"),
}
STRUCTURE = {
    "a list": ("[]", "line 1, $", "must be one object"),
    "another program's": ('{"nodes": []}', "line 1, $", 'the key "gradviz", with the version'),
    "future": (changed(gradviz=999), "$.gradviz", "format 999; this gradviz reads up to 1"),
    "version 0": (changed(gradviz=0), "$.gradviz", "0 is not a version"),
    "version 1.0": (changed(gradviz=1.0), "$.gradviz", "1.0 is not a version"),
    "version true": (changed(gradviz=True), "$.gradviz", "True is not a version"),
    "no graph": ('{"gradviz": 1}', "$", 'The key "graph" is missing'),
    "unknown section": (changed(edges=[]), "$", 'The key "edges" is not known here; known are'),
    "misspelt section": (changed(valeus={}), "$", 'is "values" meant?'),
    "unknown key": (node(input=["X"]), NODE, 'The key "input" is not known here; is "inputs"'),
    "odd key": (node(**{"i\u200bd\x07": 1}), NODE, '"i\\u200bd\\x07"'),
    "no op": (text('"op": "sum", ', ""), NODE, 'The key "op" is missing'),
    "node is null": (changed(graph={"nodes": [None]}), "$.graph.nodes[0]", "Here stands null"),
    "nodes by name": (changed(graph={"nodes": {}}), "$.graph.nodes", "a list […] is expected"),
    "id is a number": (node(id=7), f"{NODE}.id", "Here stands a whole number, but a text"),
    "name is null": (node(name=None), f"{NODE}.name", "Here stands null, but a text in quotes"),
    "input is a list": (node(inputs=[["X"]]), f"{NODE}.inputs[0]", "Here stands a list"),
    "places as list": (changed(places=[]), "$.places", "an object {…} is expected"),
    "one coordinate": (changed(places={"s": [1]}), "$.places.s", "1 entries, but 2"),
    "text coordinate": (changed(places={"s": [1, "2"]}), "$.places.s[1]", "a number is expected"),
    "definition's key": (
        changed(definitions=[{"name": "f", "graph": {"nodes": [{"id": "a", "opp": "b"}]}}]),
        "$.definitions[0].graph.nodes[0]",
        'is "op" meant?',
    ),
}
GRAPH = {
    "id twice": (node(id="X"), f"{NODE}.id", 'Two nodes have the id "X" (the other is nodes[0])'),
    "id": (node(id="a/b", inputs=[]), f"{NODE}.id", '"a/b" cannot be an id'),
    "empty id": (node(id=""), f"{NODE}.id", "cannot be an id"),
    "long id": (node(id="a" * 65), f"{NODE}.id", "cannot be an id: use 1 to 64"),
    "name twice": (node(name="X"), f"{NODE}.name", 'Two nodes are called "X" (ids X, s)'),
    "look-alike": (
        changed(
            graph={
                "nodes": [
                    {"id": "a", "op": "f", "name": n, **({"id": "b"} if n[-1] == "é" else {})}
                    for n in ("e\u0301", "é")
                ]
            },
            values={},
        ),
        "$.graph.nodes[1].name",
        "Two nodes are called",
    ),
    "long name": (node(name="n" * 81), f"{NODE}.name", "has 81 characters; at most 80"),
    "bidi name": (node(name="a\u202eb"), f"{NODE}.name", '"a\\u202eb" cannot be a name'),
    "invisible name": (node(name="\u200b"), f"{NODE}.name", "cannot be seen (U+200B)"),
    "blank name": (node(name=" s"), f"{NODE}.name", "starts or ends with a blank"),
    "control in op": (node(op="a\nb"), f"{NODE}.op", '"a\\nb" cannot be an op'),
    "dangling": (node(inputs=["Z"]), f"{NODE}.inputs[0]", 'Input 1 of "s" comes from "Z"'),
    "no output": (node(inputs=["X:01"]), f"{NODE}.inputs[0]", '"X:01" names no output'),
    "minus output": (node(inputs=["X:-1"]), f"{NODE}.inputs[0]", '"X:-1" names no output'),
    "itself": (node(inputs=["s"]), f"{NODE}.inputs", "The wires form a cycle: s → s."),
    "cycle": (node(inputs=["y"]), "$.graph.nodes[2].inputs", "form a cycle: y → s → y."),
    "attribute key": (node(attributes={"": 1}), f"{NODE}.attributes", 'the key "" cannot be used'),
    "long attribute": (
        node(attributes={"m": ["x" * 5000]}),
        f"{NODE}.attributes.m[0]",
        "this text has 5000 characters; at most 4096",
    ),
    "NUL": (node(attributes={"m": "a\0"}), f"{NODE}.attributes.m", "holds U+0000"),
    "rank": (node(attributes={"shape": [1] * 9}), f"{NODE}.attributes.shape", "with 9 axes"),
    "huge shape": (
        node(attributes={"shape": [2**32, 2**32]}),
        f"{NODE}.attributes.shape",
        "4294967296×4294967296 is too large: 10,000,000 numbers",
    ),
    "empty and huge": (
        node(attributes={"shape": [0, 2**62]}),
        f"{NODE}.attributes.shape",
        "too large",
    ),
}
VALUES = {
    "no node": (changed(values={"Z": 1}), "$.values.Z", 'no node with the id "Z"'),
    "not a source": (changed(values={"s": 1}), "$.values.s", "computed from its inputs"),
    "ragged": (value([[1, 2], [3]]), "$.values.X[1]", "rows differ in length: 2 expected"),
    "jagged": (value([1, [2]]), "$.values.X[1]", "Here stands […], but a number"),
    "null": (value([[1, 2], [3, None]]), "$.values.X[1][1]", "Here stands null"),
    "text": (value([["a\u202e", 2]]), "$.values.X[0][0]", 'Here stands "a\\u202e", but a number'),
    "nan": (value(["nan"]), "$.values.X[0]", 'Here stands "nan"'),
    "bool among floats": (value([True]), "$.values.X[0]", "Here stands true"),
    "float in int64": (value([1, 2.0], dtype="int64"), "$.values.X[1]", "a whole number"),
    "NaN in int64": (value(["NaN"], dtype="int64"), "$.values.X[0]", "a whole number"),
    "number in bool": (value([True, 1], dtype="bool"), "$.values.X[1]", "Here stands 1, but"),
    "2**53 + 1": (value(2**53 + 1), "$.values.X", "9007199254740993 cannot be held exactly"),
    "1e39 in float32": (value([0, 1e39], dtype="float32"), "$.values.X[1]", "large for float32"),
    "rank 9": (value([[[[[[[[[1]]]]]]]]]), "$.values.X", "9 axes"),
    "shape": (value([1, 2], shape=[3]), "$.values.X", '"X" is 2 numbers, but the node declares 3'),
    "shape of text": (value([1], shape="1"), "$.graph.nodes[0].attributes.shape", "list of sizes"),
    "minus shape": (value([1], shape=[-1]), "$.graph.nodes[0].attributes.shape", "list of sizes"),
    "dtype": (value([1], dtype="object"), "$.graph.nodes[0].attributes.dtype", "be object"),
    "weak array": (value([1], dtype="weak"), "$.graph.nodes[0].attributes.shape", "one number"),
    "base64 key": (
        value({"dtype": "bool", "shape": [1], "data": ""}),
        "$.values.X",
        'The key "data" is not known here; known are: dtype, shape, base64',
    ),
    "base64 shape": (
        value({"dtype": "bool", "shape": [2**32, 2**32], "base64": "AQ=="}),
        "$.values.X.shape",
        "too large",
    ),
    "base64 minus": (
        value({"dtype": "bool", "shape": [-1, -1], "base64": "AQ=="}),
        "$.values.X.shape",
        "cannot be negative",
    ),
    "base64 short": (
        value({"dtype": "float64", "shape": [3], "base64": "AAAAAAAA8D8="}),
        "$.values.X.base64",
        "need 24 bytes, but there are 8",
    ),
    "not base64": (
        value({"dtype": "bool", "shape": [1], "base64": "A Q=="}),
        "$.values.X.base64",
        "not base64",
    ),
    "base64 letters": (
        value({"dtype": "bool", "shape": [1], "base64": "é"}),
        "$.values.X.base64",
        "not base64",
    ),
    "base64 truth": (
        value({"dtype": "bool", "shape": [1], "base64": "Ag=="}),
        "$.values.X.base64",
        "0 or 1",
    ),
    "base64 dtype": (
        value({"dtype": "float64", "shape": [1], "base64": "AAAAAAAA8D8="}, dtype="float32"),
        "$.values.X.dtype",
        "These bytes are float64, but the node declares float32",
    ),
    "pickled dtype": (
        value({"dtype": "|O", "shape": [1], "base64": "AQ=="}),
        "$.values.X.dtype",
        "are |O",
    ),
}
BESIDE = {
    "of": (changed(queries=[{"of": ["Z"]}]), "$.queries[0].of[0]", 'no node with the id "Z"'),
    "stop": (
        changed(queries=[{"stop_gradients": ["Z"]}]),
        "$.queries[0].stop_gradients[0]",
        "no node",
    ),
    "unconnected": (
        changed(queries=[{"unconnected": "nought"}]),
        "$.queries[0].unconnected",
        '"none" or "zero"',
    ),
    "seeds": (changed(queries=[{"of": ["y"], "seed": []}]), "$.queries[0].seed", "0 seeds for 1"),
    "seed": (changed(queries=[{"seed": [[1, "a"]]}]), "$.queries[0].seed[0][1]", "A seed is"),
    "two current": (
        changed(queries=[{"current": True}, {"current": True}]),
        "$.queries[1].current",
        "Two questions",
    ),
    "place": (changed(places={"Z": [0, 0]}), "$.places.Z", 'no node with the id "Z"'),
    "far": (changed(places={"s": [0, 1e6 + 1]}), "$.places.s", "within ±1,000,000"),
    "long note": (changed(notes=[{"text": "x" * 4097}]), "$.notes[0].text", "at most 4096"),
    "note of no node": (changed(notes=[{"node": "Z"}]), "$.notes[0].node", "no node"),
    "member": (
        changed(groups=[{"id": "g", "members": ["X", "Z"]}]),
        "$.groups[0].members[1]",
        "no node",
    ),
    "members": (changed(groups=[{"members": "X"}]), "$.groups[0].members", "must be a list of ids"),
    "group twice": (changed(groups=[{"id": "g"}, {"id": "g"}]), "$.groups[1].id", "have the id"),
    "range": (changed(ranges={"Z": [0, 1]}), "$.ranges.Z", "no node"),
    "definition": (
        changed(
            definitions=[
                {"name": "f", "graph": {"nodes": [{"id": "a", "op": "b", "inputs": ["a"]}]}}
            ]
        ),
        "$.definitions[0].graph.nodes[0].inputs",
        "cycle: a → a",
    ),
    "definition's output": (
        changed(definitions=[{"name": "f", "graph": {"nodes": []}, "outputs": ["a"]}]),
        "$.definitions[0].outputs[0]",
        "no node",
    ),
}
CASES = {**SYNTAX, **STRUCTURE, **GRAPH, **VALUES, **BESIDE}


@pytest.mark.parametrize(("document", "place", "words"), CASES.values(), ids=CASES)
def test_a_bad_document_is_refused_with_place_and_words(document, place, words):
    with pytest.raises(FileError) as caught:
        native.loads(document, source="bad.gradviz")
    error = caught.value
    assert error.path == "bad.gradviz"
    if place.startswith("$"):
        assert error.place.endswith(place)
    else:
        assert error.place.startswith(place)
    assert words in str(error)
    assert len(str(error)) < 400
    assert str(error).isprintable()


def test_the_document_the_others_are_made_from_is_good():
    assert len(native.loads(json.dumps(GOOD)).graph) == 3


def test_a_fault_in_the_graph_is_told_with_its_line():
    with pytest.raises(FileError) as caught:
        native.loads(node(inputs=["Z"]))
    line = int(caught.value.place.split(",")[0].removeprefix("line "))
    assert '"Z"' in node(inputs=["Z"]).splitlines()[line - 1]


def test_brackets_and_digits_inside_texts_are_not_counted():
    note = {"text": '[{\\\\"1 ' * 500}
    document = {"gradviz": 1, "graph": {"nodes": []}, "notes": [note]}
    assert native.loads(json.dumps(document)).notes == (note,)
