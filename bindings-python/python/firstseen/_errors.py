"""The exceptions. Each instance has a stable `code`; the native module raises them."""


class FirstSeenError(Exception):
    """Any refusal by this library: `code` says which, the same in every language."""

    code: str

    def __init__(self, message: str, code: str) -> None:
        super().__init__(message)
        self.code = code

    def __reduce__(self) -> tuple[type, tuple[str, str]]:
        # Exceptions travel between processes; the default would forget the code.
        return type(self), (str(self), self.code)


class FirstSeenValueError(FirstSeenError, ValueError):
    """An argument that is refused: out of range, or of a form or type that is not accepted."""


class FirstSeenTypeError(FirstSeenValueError, TypeError):
    """An argument of a type that is not accepted, and everything that cannot be an id."""


for _class in (FirstSeenError, FirstSeenValueError, FirstSeenTypeError):
    _class.__module__ = "firstseen"
