"""What can go wrong, in the engine's own sentences."""


class Error(Exception):
    """A call was refused. `status` is the engine's word for it ("BadArgument", "NotFound", ...)."""

    def __init__(self, status: str, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


class SceneError(Error):
    """Something is wrong with a scene: where, as line and column (from 1; 0 is unknown) or as a
    path of its values ("mechanisms[0].mass")."""

    def __init__(self, status: str, sentence: str, line: int = 0, column: int = 0,
                 path: str = "") -> None:
        super().__init__(status, sentence)
        self.line, self.column, self.path = line, column, path
