"""The one error of the model: a stable code, nothing else."""


class OracleError(Exception):
    def __init__(self, code):
        super().__init__(code)
        self.code = code
