//! A million deliveries, at least once each, with crashes at every step: what claims promise.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use firstseen::{Millis, Window};

struct Random(u64);

impl Random {
    fn chance(&mut self, one_in: u64) -> bool {
        self.below(one_in) == 0
    }

    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % n
    }
}

/// What a delivery came to, and whether its effect was done.
enum End {
    Acknowledged,
    Refused,
    Died { after_effect: bool },
}

/// Claims, does the effect and commits, and dies anywhere.
fn consume(
    window: &mut Window,
    id: u64,
    now: u64,
    random: &mut Random,
    effects: &mut [u32],
) -> End {
    const DIES: u64 = 20;
    let died = |after_effect| End::Died { after_effect };
    if random.chance(DIES) {
        return died(false);
    }
    let claim = window.claim(id, Millis(30_000), Millis(now), None).unwrap();
    if random.chance(DIES) {
        return died(false);
    }
    let Some(token) = claim.token else {
        return if claim.verdict.acknowledge() {
            End::Acknowledged
        } else {
            End::Refused
        };
    };
    effects[id as usize] += 1;
    if random.chance(DIES) {
        return died(true);
    }
    window.commit(token, Millis(now)).unwrap();
    if random.chance(DIES) {
        return died(true);
    }
    End::Acknowledged
}

#[test]
fn no_event_is_lost_and_only_crashes_repeat_an_effect() {
    const EVENTS: u64 = 700_000;
    let mut window = Window::exact(Millis(600_000)).build().unwrap();
    let (mut random, mut effects) = (Random(7), vec![0_u32; EVENTS as usize]);
    let mut acknowledged = vec![false; EVENTS as usize];
    let mut queue: BinaryHeap<Reverse<(u64, u64, bool)>> = (0..EVENTS)
        .map(|id| Reverse((id * 10 + random.below(5_000), id, true)))
        .collect();
    let (mut deliveries, mut crashed, mut after_effect) = (0_u64, 0_u64, 0_u64);
    while let Some(Reverse((now, id, may_repeat))) = queue.pop() {
        deliveries += 1;
        match consume(&mut window, id, now, &mut random, &mut effects) {
            End::Acknowledged => {
                acknowledged[id as usize] = true;
                if may_repeat && random.chance(5) {
                    queue.push(Reverse((now + random.below(60_000), id, false)));
                }
                continue;
            }
            End::Refused => {}
            End::Died { after_effect: done } => {
                crashed += 1;
                after_effect += u64::from(done);
            }
        }
        // Not acknowledged: it comes again.
        queue.push(Reverse((
            now + 35_000 + random.below(1_000),
            id,
            may_repeat,
        )));
    }
    assert!(deliveries > 1_000_000, "{deliveries} deliveries");
    assert!(crashed > 100_000, "{crashed} crashes");
    assert!(acknowledged.iter().all(|acknowledged| *acknowledged));
    assert!(
        effects.iter().all(|effects| *effects > 0),
        "an event was lost"
    );
    let repeated: u64 = effects.iter().map(|effects| u64::from(*effects) - 1).sum();
    assert!(
        repeated > 0 && repeated <= after_effect,
        "{repeated}, {after_effect}"
    );
    println!("{deliveries} deliveries, {crashed} crashes, {repeated} effects repeated by {after_effect} of them");
}
