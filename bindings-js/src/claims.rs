//! The engine's calls about claims.

use alloc::vec::Vec;

use firstseen::{Claim, Error, Millis, Token};

use crate::{all, convert, flag, now, one, room, Engine};

impl<C> Engine<C> {
    /// Claims the one id in `input`; answers a verdict, and leaves the token if that is `first`.
    pub fn claim(
        &mut self,
        handle: u32,
        input: &[u8],
        when: (f64, f64),
        at: f64,
        lease: f64,
    ) -> f64 {
        self.with(handle, |(window, _), answers| {
            let print = one(window, input)?;
            room(answers, 1)?;
            let (lease, at) = (Millis::from_ms("lease", lease)?, convert::at(at)?);
            let claim = window.claim_key(print, lease, now(when)?, at)?;
            answers.push(token(&claim));
            Ok(convert::verdict(claim.verdict))
        })
    }

    /// Claims the ids in `input`; answers their number, and leaves a verdict and a token each, NaN for none.
    pub fn claim_many(&mut self, handle: u32, input: &[u8], when: (f64, f64), lease: f64) -> f64 {
        self.with(handle, |(window, _), answers| {
            let prints = all(window, input)?;
            room(answers, 2 * prints.len())?;
            let lease = Millis::from_ms("lease", lease)?;
            for claim in window.claim_keys(&prints, lease, now(when)?)? {
                answers.push(convert::verdict(claim.verdict));
                answers.push(token(&claim));
            }
            Ok(prints.len() as f64)
        })
    }

    /// Commits a claim.
    pub fn commit(&mut self, handle: u32, token: f64, when: (f64, f64)) -> f64 {
        self.with(handle, |(window, _), _| {
            window.commit(named(token), now(when)?)?;
            Ok(0.0)
        })
    }

    /// Commits the claims whose tokens are the numbers in `input`, of 8 bytes each; answers how many, and leaves 1 for each, 0 if it
    /// is lost.
    pub fn commit_many(&mut self, handle: u32, input: &[u8], when: (f64, f64)) -> f64 {
        self.with(handle, |(window, _), answers| {
            let mut tokens: Vec<Token> = Vec::new();
            let all = input.chunks_exact(8);
            room(answers, all.len())?;
            tokens
                .try_reserve_exact(all.len())
                .map_err(|_| Error::OutOfMemory)?;
            for mut bytes in all {
                tokens.push(named(f64::from_le_bytes(convert::chunk(&mut bytes)?)));
            }
            let committed = window.commit_many(&tokens, now(when)?)?;
            answers.extend(committed.into_iter().map(flag));
            Ok(tokens.len() as f64)
        })
    }

    /// Releases a claim.
    pub fn release_claim(&mut self, handle: u32, token: f64) -> f64 {
        self.with(handle, |(window, _), _| {
            window.release(named(token))?;
            Ok(0.0)
        })
    }

    /// Renews a claim's lease.
    pub fn renew(&mut self, handle: u32, token: f64, lease: f64, when: (f64, f64)) -> f64 {
        self.with(handle, |(window, _), _| {
            let lease = Millis::from_ms("lease", lease)?;
            window.renew(named(token), lease, now(when)?)?;
            Ok(0.0)
        })
    }
}

/// Tokens are numbers in JavaScript. What is none names no claim: 0 is never given.
fn named(token: f64) -> Token {
    let whole = token as u64;
    Token(if whole as f64 == token { whole } else { 0 })
}

fn token(claim: &Claim) -> f64 {
    claim.token.map_or(f64::NAN, |token| token.0 as f64)
}
