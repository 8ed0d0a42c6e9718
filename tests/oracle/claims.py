"""Claims: a list of what is in flight, or was and can still be committed."""

from .errors import OracleError


class Claim:
    def __init__(self, key, token, deadline):
        self.key, self.token, self.deadline = key, token, deadline
        self.ran_out = False


class Claims:
    def __init__(self):
        self.records = []
        self.last_token = 0

    def __len__(self):
        return len(self.records)

    def of_key(self, key):
        return next((claim for claim in self.records if claim.key == key), None)

    def of_token(self, token):
        for claim in self.records:
            if claim.token == token:
                return claim
        raise OracleError("lease_lost")

    def lease_left(self, key, time):
        claim = self.of_key(key)
        left = 0 if claim is None else claim.deadline - time
        return left if left > 0 else None

    def add(self, key, deadline):
        self.drop(key)
        self.last_token += 1
        self.records.append(Claim(key, self.last_token, deadline))
        return self.last_token

    def drop(self, key):
        claim = self.of_key(key)
        if claim is not None:
            self.records.remove(claim)
        return claim is not None

    def move(self, by):
        for claim in self.records:
            claim.deadline += by

    def run_out_by(self, time):
        """How many of the leases that run have run out by a time."""
        return sum(not claim.ran_out and claim.deadline <= time for claim in self.records)

    def follow(self, time, window):
        """How many leases run out now; frees the records of those that ran out longer than a window ago."""
        expired = self.run_out_by(time)
        for claim in self.records:
            claim.ran_out = claim.ran_out or claim.deadline <= time
        self.records = [claim for claim in self.records if time <= claim.deadline + window]
        return expired

    def running(self):
        return sum(not claim.ran_out for claim in self.records)
