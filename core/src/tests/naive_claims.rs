//! The naive twin's claims: a list.

use alloc::vec::Vec;

use crate::{Millis, Verdict};

#[derive(Clone)]
struct Claim {
    id: u64,
    token: u64,
    deadline: i64,
    expired: bool,
}

#[derive(Clone, Default)]
pub(super) struct Claims {
    list: Vec<Claim>,
    pub(super) last: u64,
}

impl Claims {
    pub(super) fn len(&self) -> u64 {
        self.list.len() as u64
    }

    pub(super) fn running(&self) -> u64 {
        self.list.iter().filter(|claim| !claim.expired).count() as u64
    }

    pub(super) fn is_on_record(&self, id: u64) -> bool {
        self.list.iter().any(|claim| claim.id == id)
    }

    pub(super) fn in_flight(&self, id: u64, time: u64) -> Option<Verdict> {
        let claim = self.list.iter().find(|claim| claim.id == id)?;
        let left = claim.deadline - time as i64;
        (left > 0).then_some(Verdict::InFlight {
            lease_left: Millis(left as u64),
        })
    }

    pub(super) fn put(&mut self, id: u64, deadline: u64) -> u64 {
        self.drop_id(id);
        self.last += 1;
        self.list.push(Claim {
            id,
            token: self.last,
            deadline: deadline as i64,
            expired: false,
        });
        self.last
    }

    pub(super) fn renew(&mut self, token: u64, deadline: u64) {
        for claim in self.list.iter_mut().filter(|claim| claim.token == token) {
            (claim.deadline, claim.expired) = (deadline as i64, false);
        }
    }

    pub(super) fn remove(&mut self, token: u64) -> Option<u64> {
        let place = self.list.iter().position(|claim| claim.token == token)?;
        Some(self.list.remove(place).id)
    }

    pub(super) fn drop_id(&mut self, id: u64) -> bool {
        let before = self.list.len();
        self.list.retain(|claim| claim.id != id);
        self.list.len() < before
    }

    pub(super) fn shift(&mut self, by: i64) {
        for claim in &mut self.list {
            claim.deadline += by;
        }
    }

    pub(super) fn advance(&mut self, time: u64, window: u64) -> u64 {
        let mut expired = 0;
        for claim in &mut self.list {
            if !claim.expired && claim.deadline <= time as i64 {
                claim.expired = true;
                expired += 1;
            }
        }
        self.list
            .retain(|claim| time as i64 <= claim.deadline + window as i64);
        expired
    }

    pub(super) fn clear(&mut self) {
        self.list.clear();
    }
}
