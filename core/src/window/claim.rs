//! Two-phase: claim → effect → commit, or release.

use alloc::vec::Vec;

use hashbrown::HashSet;

use super::{reserved, Window};
use crate::claims::{Claim, Record, Token};
use crate::config::OnFull;
use crate::error::Error;
use crate::fingerprint::Key;
use crate::id::Id;
use crate::memory::{Exact, Memory, Seeded};
use crate::time::{duration, Millis, Now, Tick};
use crate::verdict::Verdict;

impl<M: Memory> Window<M> {
    /// Asks to process an event: if it is first, it is in flight until it is committed or released, or its lease has run out.
    ///
    /// The id is remembered only from the commit on, so a consumer that fails in between loses nothing: the event's next delivery is
    /// first again. That needs a queue which delivers again what was not acknowledged, so acknowledge after the commit. **When not to use it:**
    /// where an event may rather be lost than processed twice: [`first_seen`](Self::first_seen) records before the effect.
    ///
    /// A lease runs on window time, for as long as window time < the window time of this call + `lease`. Give it somewhat more than the effect
    /// takes, or [`renew`](Self::renew) it. When it has run out, the next sighting of the id is first, and takes the claim over; until
    /// then, and for a window at most, it can still be committed.
    ///
    /// # Errors
    /// As [`observe`](Self::observe); `invalid_config` for a lease of 0; `full` if there is no place for the id that the claim reserves.
    ///
    /// ```
    /// use firstseen::{Millis, Verdict, Window};
    ///
    /// let mut window = Window::exact(Millis(60_000)).build()?;
    /// let claim = window.claim("evt_1", Millis(30_000), Millis(0), None)?;
    /// assert_eq!(claim.verdict, Verdict::First);
    /// // A second delivery meanwhile: neither process nor acknowledge it.
    /// let other = window.claim("evt_1", Millis(30_000), Millis(10_000), None)?;
    /// assert_eq!(other.verdict, Verdict::InFlight { lease_left: Millis(20_000) });
    /// // The effect succeeds.
    /// window.commit(claim.token.unwrap(), Millis(12_000))?;
    /// assert!(!window.first_seen("evt_1", Millis(72_000))?);
    /// # Ok::<(), firstseen::Error>(())
    /// ```
    pub fn claim<'a>(
        &mut self,
        id: impl Into<Id<'a>>,
        lease: impl Into<Millis>,
        now: impl Into<Now>,
        at: Option<Millis>,
    ) -> Result<Claim, Error> {
        let key = self.printer.key(id)?;
        self.claim_key(key, lease, now, at)
    }

    /// [`claim`](Self::claim) of a key made by the [`fingerprinter`](Self::fingerprinter).
    ///
    /// # Errors
    /// As [`claim`](Self::claim), but for the id's.
    pub fn claim_key(
        &mut self,
        key: Key,
        lease: impl Into<Millis>,
        now: impl Into<Now>,
        at: Option<Millis>,
    ) -> Result<Claim, Error> {
        let (now, mode) = self.mode.admit(now.into())?;
        let at = at.map(|at| at.checked("at")).transpose()?;
        let lease = duration("lease", lease.into())?;
        self.prepare(now, mode, 1)?;
        self.claims.reserve(1)?;
        self.tell(now, mode, 1);
        let claim = self.judge_claim(key, lease, at, &mut None);
        self.refresh();
        claim
    }

    /// [`claim`](Self::claim) of several ids, in order and at one time: a repeat inside the batch is in flight.
    ///
    /// # Errors
    /// As [`claim`](Self::claim). On `full` nothing is claimed.
    pub fn claim_many<'a, I: Into<Id<'a>>>(
        &mut self,
        ids: impl IntoIterator<Item = I>,
        lease: impl Into<Millis>,
        now: impl Into<Now>,
    ) -> Result<Vec<Claim>, Error> {
        let keys = self.printer.keys(ids)?;
        self.claim_keys(&keys, lease, now)
    }

    /// [`claim_many`](Self::claim_many) of keys made by the [`fingerprinter`](Self::fingerprinter).
    ///
    /// # Errors
    /// As [`claim_many`](Self::claim_many), but for the ids'.
    pub fn claim_keys(
        &mut self,
        keys: &[Key],
        lease: impl Into<Millis>,
        now: impl Into<Now>,
    ) -> Result<Vec<Claim>, Error> {
        let now = now.into();
        now.checked()?;
        let lease = lease.into();
        if keys.is_empty() {
            return duration("lease", lease).map(|_| Vec::new());
        }
        let (now, mode) = self.mode.admit(now)?;
        let lease = duration("lease", lease)?;
        let mut claims = reserved(keys.len())?;
        let mut lost = reserved(keys.len())?;
        self.prepare(now, mode, keys.len())?;
        self.claims.reserve(keys.len())?;
        self.tell(now, mode, keys.len() as u64);
        if !self.claims_fit(keys)? {
            self.refresh();
            return Err(self.reject());
        }
        let before = self.counts;
        for key in keys {
            let mut replaced = None;
            match self.judge_claim(*key, lease, None, &mut replaced) {
                Ok(claim) => claims.push(claim),
                Err(error) => {
                    self.take_back(&claims, lost);
                    self.counts = before;
                    self.counts.rejected += 1;
                    self.refresh();
                    return Err(error);
                }
            }
            lost.extend(replaced);
        }
        self.memory.release();
        self.refresh();
        Ok(claims)
    }

    /// The effect is done: remembers the id, from window time on.
    ///
    /// Never fails with `full`, and succeeds though the lease has run out, for a window after its end, unless the id was seen again meanwhile.
    ///
    /// # Errors
    /// `lease_lost` if the token is not the present claim of its id; `invalid_time`, `clock_step`, `out_of_memory`. The claim is as before then.
    pub fn commit(&mut self, token: Token, now: impl Into<Now>) -> Result<(), Error> {
        let (now, mode) = self.mode.admit(now.into())?;
        self.prepare(now, mode, 1)?;
        self.must_stand(token, now)?;
        self.tell(now, mode, 1);
        self.commit_told(token);
        self.refresh();
        Ok(())
    }

    /// [`commit`](Self::commit) of several claims at one time; `false` for each that is lost: an effect that is done is recorded
    /// whether the lease of another was lost or not.
    ///
    /// # Errors
    /// `invalid_time`, `clock_step`, `out_of_memory`. Nothing is committed then.
    pub fn commit_many(
        &mut self,
        tokens: &[Token],
        now: impl Into<Now>,
    ) -> Result<Vec<bool>, Error> {
        let now = now.into();
        if tokens.is_empty() {
            return now.checked().map(|()| Vec::new());
        }
        let (now, mode) = self.mode.admit(now)?;
        let mut committed = reserved(tokens.len())?;
        self.prepare(now, mode, tokens.len())?;
        self.tell(now, mode, tokens.len() as u64);
        for token in tokens {
            committed.push(self.commit_told(*token));
        }
        self.memory.release();
        self.refresh();
        Ok(committed)
    }

    /// The effect failed: the event's next delivery is first again. O(1); tells no time.
    ///
    /// # Errors
    /// `lease_lost` if the token is not the present claim of its id.
    pub fn release(&mut self, token: Token) -> Result<(), Error> {
        let removed = self.claims.remove(token);
        self.refresh();
        removed.map(drop).ok_or(lost(token))
    }

    /// The effect takes longer: the lease runs until window time + `lease`. One that has run out runs again.
    ///
    /// # Errors
    /// `lease_lost` if the token is not the present claim of its id; `invalid_config` for a lease of 0; `invalid_time`, `clock_step`.
    /// The claim is as before then.
    pub fn renew(
        &mut self,
        token: Token,
        lease: impl Into<Millis>,
        now: impl Into<Now>,
    ) -> Result<(), Error> {
        let (now, mode) = self.mode.admit(now.into())?;
        let lease = duration("lease", lease.into())?;
        self.prepare(now, mode, 0)?;
        self.must_stand(token, now)?;
        self.tell(now, mode, 1);
        let time = self.time.time().unwrap_or(0);
        self.claims.renew(token, time + lease);
        self.refresh();
        Ok(())
    }

    /// [`claim`](Self::claim)s for as long as the guard lives: dropped without a [`commit`](Guard::commit), it releases.
    ///
    /// # Errors
    /// As [`claim`](Self::claim).
    ///
    /// ```
    /// use firstseen::{Millis, Window};
    ///
    /// let mut window = Window::exact(Millis(60_000)).build()?;
    /// let guard = window.guard("evt_1", Millis(30_000), Millis(0), None)?;
    /// drop(guard); // the effect failed
    /// let guard = window.guard("evt_1", Millis(30_000), Millis(0), None)?;
    /// assert!(guard.is_first());
    /// guard.commit(Millis(5))?;
    /// assert!(!window.first_seen("evt_1", Millis(9))?);
    /// # Ok::<(), firstseen::Error>(())
    /// ```
    pub fn guard<'a>(
        &mut self,
        id: impl Into<Id<'a>>,
        lease: impl Into<Millis>,
        now: impl Into<Now>,
        at: Option<Millis>,
    ) -> Result<Guard<'_, M>, Error> {
        let claim = self.claim(id, lease, now, at)?;
        Ok(Guard {
            window: self,
            claim,
        })
    }

    /// Counts the leases that have run out, and frees what ran out a window ago.
    #[inline]
    pub(super) fn follow_leases(&mut self) {
        if !self.claims.is_empty() {
            let time = self.time.time().unwrap_or(0);
            let window = self.config.geometry.window;
            self.counts.leases_expired += self.claims.advance(time, window);
        }
    }

    /// Records an id that was answered before: anew, where what was found of it would be forgotten sooner than this sighting must be.
    /// There is room. Says whether one more is held for it.
    pub(super) fn insert_again(&mut self, key: Key, found: Option<u64>) -> bool {
        if found.is_some() && found == self.ring.open(self.time.head()) {
            return false;
        }
        if let Some(serial) = found.filter(|_| M::FORGETS) {
            self.memory.remove(key, self.ring.front());
            self.ring.remove(serial);
        }
        self.ring.close(&self.config.closing, self.time.head());
        self.insert(key, true);
        found.is_none() || !M::FORGETS
    }

    /// Whether claims alone leave room for the new ids of a batch, where ids can be evicted.
    pub(super) fn claims_leave_room(&self, keys: &[Key]) -> bool {
        let capacity = self.config.capacity.unwrap_or(u64::MAX);
        if self.claims.len() < capacity {
            return true;
        }
        let time = self.time.time().unwrap_or(0);
        let mut new = keys.iter().filter(|key| self.alive(**key).is_none());
        // The first that is not in flight decides: if it has the place of a claim that ran out, there is room from then on.
        let decides = new.find(|key| self.claims.in_flight(**key, time).is_none());
        decides.is_none_or(|key| self.claims.find(*key).is_some())
    }

    /// Whether the claims of a batch all find a place, where ids are evicted for them.
    fn claims_fit(&self, keys: &[Key]) -> Result<bool, Error> {
        let (OnFull::EvictOldest, Some(capacity)) = (self.config.on_full, self.config.capacity)
        else {
            return Ok(true);
        };
        let mut claims = self.claims.len();
        if claims + keys.len() as u64 <= capacity {
            return Ok(true);
        }
        let mut claimed: HashSet<u64, Seeded> = HashSet::default();
        claimed
            .try_reserve(keys.len())
            .map_err(|_| Error::OutOfMemory)?;
        // What is evicted on the way is new again if it comes later.
        let (mut front, mut held) = (self.ring.front(), self.ring.held());
        for key in keys {
            let is_held = held > 0 && self.memory.look(*key, front).is_some();
            if is_held || self.claims.find(*key).is_some() || !claimed.insert(key.0) {
                continue;
            }
            if claims >= capacity {
                return Ok(false);
            }
            while held > 0 && held >= capacity - claims {
                held -= self.ring.held_in(front);
                front += 1;
            }
            claims += 1;
        }
        Ok(true)
    }

    fn judge_claim(
        &mut self,
        key: Key,
        lease: u64,
        at: Option<u64>,
        replaced: &mut Option<Record>,
    ) -> Result<Claim, Error> {
        if let Some(verdict) = self.seen(key, at) {
            return Ok(Claim {
                verdict,
                token: None,
            });
        }
        let lost = self.claims.find(key).map(|record| record.token);
        if lost.is_none() {
            self.make_room(0)?;
        }
        *replaced = lost.and_then(|token| self.claims.remove(token));
        let deadline = self.time.time().unwrap_or(0) + lease;
        let token = self.claims.insert(key, deadline);
        self.counts.first += 1;
        Ok(Claim {
            verdict: Verdict::First,
            token: Some(token),
        })
    }

    /// Undoes the claims of a batch, and puts those back that they replaced.
    fn take_back(&mut self, claims: &[Claim], lost: Vec<Record>) {
        for token in claims.iter().filter_map(|claim| claim.token) {
            self.claims.remove(token);
        }
        for record in lost {
            self.claims.put_back(record, self.config.geometry.window);
        }
    }

    fn commit_told(&mut self, token: Token) -> bool {
        let Some(record) = self.claims.remove(token) else {
            return false;
        };
        let found = self.alive(record.key);
        if self.insert_again(record.key, found) {
            // It is held now, and counted by that.
            self.counts.first -= 1;
        }
        true
    }

    /// Whether a claim still stands once this time is told.
    fn must_stand(&self, token: Token, now: u64) -> Result<(), Error> {
        let record = self.claims.get(token).ok_or(lost(token))?;
        let mut line = self.time.clone();
        let stands = match line.tell(now, &self.config.geometry) {
            Tick::Forward => {
                let window = self.config.geometry.window;
                self.claims
                    .is_on_record(record, line.time().unwrap_or(0), window)
            }
            // Leases keep the time that they have left.
            Tick::Regression | Tick::Reset { .. } => true,
        };
        stands.then_some(()).ok_or(lost(token))
    }
}

fn lost(token: Token) -> Error {
    Error::LeaseLost { token: token.0 }
}

/// A claim that is released when it is dropped; see [`Window::guard`].
#[must_use = "a guard that is dropped releases its claim"]
pub struct Guard<'w, M: Memory = Exact> {
    window: &'w mut Window<M>,
    claim: Claim,
}

impl<M: Memory> Guard<'_, M> {
    /// Whether to process the event.
    #[must_use]
    pub fn is_first(&self) -> bool {
        self.claim.is_first()
    }

    /// The verdict.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        self.claim.verdict
    }

    /// The claim's name, if it is first: to give to others as a fencing token.
    #[must_use]
    pub fn token(&self) -> Option<Token> {
        self.claim.token
    }

    /// [`Window::commit`]; nothing if the event was not first.
    ///
    /// # Errors
    /// As [`Window::commit`]. The claim stands then until its lease is over, and not released: its effect is done.
    pub fn commit(mut self, now: impl Into<Now>) -> Result<(), Error> {
        match self.claim.token.take() {
            Some(token) => self.window.commit(token, now),
            None => Ok(()),
        }
    }

    /// [`Window::renew`]; nothing if the event was not first.
    ///
    /// # Errors
    /// As [`Window::renew`].
    pub fn renew(&mut self, lease: impl Into<Millis>, now: impl Into<Now>) -> Result<(), Error> {
        match self.claim.token {
            Some(token) => self.window.renew(token, lease, now),
            None => Ok(()),
        }
    }
}

impl<M: Memory> Drop for Guard<'_, M> {
    fn drop(&mut self) {
        if let Some(token) = self.claim.token {
            // Lost already, there is nothing to release.
            let _ = self.window.release(token);
        }
    }
}

impl<M: Memory> core::fmt::Debug for Guard<'_, M> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_tuple("Guard").field(&self.claim).finish()
    }
}
