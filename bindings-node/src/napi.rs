//! Node's C interface, in safe dress: the only file with unsafe code.
//!
//! An addon is a table of functions over one state. A function takes numbers, short texts and byte views, and answers with a
//! number. It can call nothing of JavaScript's, so no call ever comes in while the state is borrowed.
#![expect(
    unsafe_code,
    reason = "Node's C interface; the contract is in the comments below"
)]

use std::cell::RefCell;
use std::ffi::{c_void, CStr};
use std::ptr::null_mut;
use std::rc::Rc;

use napi_sys as sys;

/// The most arguments that a function takes.
const MOST: usize = 7;
/// The longest text that is read, in UTF-16 units, and the terminator that Node adds.
const UNITS: usize = 128;
/// As many units as are narrowed at a time; a divisor of UNITS.
const LANES: usize = 16;

/// A function of the addon.
pub(crate) type Run<S> = fn(&mut S, &Args) -> f64;

/// A function of a text, and of the numbers in the cells.
pub(crate) type RunText<S> = fn(&mut S, [f64; 2], &[u8]) -> f64;

/// The arguments of one call. They live as long as the call does.
pub(crate) struct Args {
    env: sys::napi_env,
    values: [sys::napi_value; MOST],
}

impl Args {
    fn value(&self, index: usize) -> sys::napi_value {
        self.values.get(index).copied().unwrap_or(null_mut())
    }

    /// A number, NaN for anything else.
    pub(crate) fn number(&self, index: usize) -> f64 {
        let mut number = f64::NAN;
        // SAFETY: `env` is that of the running call. Node checks the value, null too, and then leaves `number` as it is.
        unsafe { sys::napi_get_value_double(self.env, self.value(index), &mut number) };
        number
    }

    /// A window's handle; 0, which is none, for anything else.
    pub(crate) fn handle(&self, index: usize) -> u32 {
        self.number(index) as u32
    }

    /// Hands over the bytes of a typed array, no bytes for anything else.
    pub(crate) fn bytes<R>(&self, index: usize, take: impl FnOnce(&mut [u8]) -> R) -> R {
        let (mut kind, mut count, mut data) = (0, 0, null_mut());
        // SAFETY: as in `number`; the pointers that are null are those of results that nobody wants.
        let status = unsafe {
            sys::napi_get_typedarray_info(
                self.env,
                self.value(index),
                &mut kind,
                &mut count,
                &mut data,
                null_mut(),
                null_mut(),
            )
        };
        let width = match kind {
            sys::TypedarrayType::uint8_array => 1,
            sys::TypedarrayType::float64_array => 8,
            _ => 0,
        };
        if status != sys::Status::napi_ok || data.is_null() || count * width == 0 {
            return take(&mut []);
        }
        // SAFETY: Node gave the bytes of a view that lives as long as the call. `take` cannot run JavaScript, so they neither
        // move nor change; the facade never passes shared memory, nor one view twice.
        take(unsafe { std::slice::from_raw_parts_mut(data.cast(), count * width) })
    }
}

/// Hands over a text in UTF-8; none for anything else, for a long text, and for one with a lone surrogate.
///
/// `place` is where it is read into. What is left there of texts before is ASCII only.
///
/// # Safety
/// `env` is that of the running call, and so is `value`.
#[inline]
unsafe fn short_text<R>(
    env: sys::napi_env,
    value: sys::napi_value,
    place: &mut Place,
    take: impl FnOnce(&[u8]) -> R,
) -> Option<R> {
    let Place { units, bytes } = place;
    let (start, mut length) = (units.as_mut_ptr(), 0);
    // SAFETY: Node writes at most UNITS units, the last one a zero, and says how many before it.
    let status = unsafe { sys::napi_get_value_string_utf16(env, value, start, UNITS, &mut length) };
    let mut all = [0; LANES];
    // Whole lanes: a loop to the exact end takes longer, and so does putting zeros behind the text just before it is read.
    let lanes = units.as_chunks::<LANES>().0.iter().zip(bytes.iter_mut());
    for (units, bytes) in lanes.take(length.div_ceil(LANES)) {
        for ((byte, unit), all) in bytes.iter_mut().zip(units).zip(&mut all) {
            *byte = *unit as u8;
            *all |= unit;
        }
    }
    // A text that fills the place may have been cut.
    let whole = status == sys::Status::napi_ok && length < UNITS - 1;
    if whole && all.iter().all(|unit| *unit < 0x80) {
        return bytes.as_flattened().get(..length).map(take);
    }
    let text = std::char::decode_utf16(units.iter().copied().take(length))
        .collect::<Result<String, _>>()
        .ok()
        .filter(|_| whole);
    units.fill(0);
    text.map(|text| take(text.as_bytes()))
}

/// Doubles that JavaScript and the addon share: reading a number of Node's costs some 3 ns, one of these nothing.
#[derive(Clone, Copy)]
struct Cells(*mut f64);

impl Cells {
    /// Two for what a call is given, one for its answer.
    const COUNT: usize = 3;

    /// Their place in an array buffer that is kept for as long as the environment lives, and the buffer.
    ///
    /// # Safety
    /// `env` is that of the running call.
    unsafe fn new(env: sys::napi_env) -> Option<(Self, sys::napi_value)> {
        let (mut data, mut buffer, mut kept) = (null_mut(), null_mut(), null_mut());
        // SAFETY: by the caller. A status that is not ok leaves the null pointers.
        unsafe {
            sys::napi_create_arraybuffer(
                env,
                Self::COUNT * size_of::<f64>(),
                &mut data,
                &mut buffer,
            );
            sys::napi_create_reference(env, buffer, 1, &mut kept);
        }
        let place = data.cast::<f64>();
        (!place.is_null() && place.is_aligned() && !kept.is_null()).then_some((Self(place), buffer))
    }

    fn given(self) -> [f64; 2] {
        // SAFETY: the buffer is there, as `new` says, the facade never gives it away, and no JavaScript runs now.
        unsafe { [self.0.read(), self.0.add(1).read()] }
    }

    fn answer(self, answer: f64) {
        // SAFETY: as above.
        unsafe { self.0.add(2).write(answer) };
    }
}

/// Where texts are read into. Kept from call to call, or it would have to be filled with zeros each time.
struct Place {
    units: [u16; UNITS],
    bytes: [[u8; LANES]; UNITS / LANES],
}

/// What the functions of one environment share.
struct Shared<S> {
    state: S,
    place: Place,
}

struct Function<S, R> {
    shared: Rc<RefCell<Shared<S>>>,
    cells: Cells,
    run: R,
}

unsafe extern "C" fn call<S>(env: sys::napi_env, info: sys::napi_callback_info) -> sys::napi_value {
    let mut args = Args {
        env,
        values: [null_mut(); MOST],
    };
    let (mut count, mut data) = (MOST, null_mut());
    let values = args.values.as_mut_ptr();
    // SAFETY: `env` and `info` are those of the running call; Node writes MOST values, undefined for those not given.
    unsafe { sys::napi_get_cb_info(env, info, &mut count, values, null_mut(), &mut data) };
    // SAFETY: `data` is what `Table::add` gave: a function that lives until the environment ends.
    let function = unsafe { &*data.cast::<Function<S, Run<S>>>() };
    let answer = match function.shared.try_borrow_mut() {
        Ok(mut shared) => (function.run)(&mut shared.state, &args),
        Err(_) => f64::NAN,
    };
    let mut result = null_mut();
    // SAFETY: `env` is that of the running call.
    unsafe { sys::napi_create_double(env, answer, &mut result) };
    result
}

/// As few calls of Node's as can be: the one argument is the text, and the answer stands in a cell.
unsafe extern "C" fn call_with_text<S>(
    env: sys::napi_env,
    info: sys::napi_callback_info,
) -> sys::napi_value {
    let (mut count, mut text, mut data) = (1, null_mut(), null_mut());
    // SAFETY: as in `call`; Node writes one value.
    unsafe { sys::napi_get_cb_info(env, info, &mut count, &mut text, null_mut(), &mut data) };
    // SAFETY: as in `call`.
    let function = unsafe { &*data.cast::<Function<S, RunText<S>>>() };
    let answer = match function.shared.try_borrow_mut() {
        Ok(mut shared) => {
            let Shared { state, place } = &mut *shared;
            let take = |text: &[u8]| (function.run)(state, function.cells.given(), text);
            // SAFETY: both are the running call's.
            unsafe { short_text(env, text, place, take) }.unwrap_or(crate::OTHERWISE)
        }
        Err(_) => f64::NAN,
    };
    function.cells.answer(answer);
    null_mut()
}

/// The functions of one kind.
struct Table<S, R>(Box<[Function<S, R>]>);

impl<S, R: Copy> Table<S, R> {
    fn new(shared: &Rc<RefCell<Shared<S>>>, cells: Cells, table: &[(&CStr, R)]) -> Self {
        let function = |(_, run): &(_, R)| Function {
            shared: Rc::clone(shared),
            cells,
            run: *run,
        };
        Self(table.iter().map(function).collect())
    }

    /// Adds them to `exports`.
    ///
    /// # Safety
    /// `env` and `exports` are those of the running call, `call` takes functions of this kind, and they live until the
    /// environment ends.
    unsafe fn add(
        &self,
        env: sys::napi_env,
        exports: sys::napi_value,
        table: &[(&CStr, R)],
        call: unsafe extern "C" fn(sys::napi_env, sys::napi_callback_info) -> sys::napi_value,
    ) {
        for ((name, _), function) in table.iter().zip(&self.0) {
            let mut value = null_mut();
            let data = (&raw const *function).cast_mut().cast();
            let length = name.count_bytes() as isize;
            // SAFETY: by the caller.
            unsafe {
                sys::napi_create_function(env, name.as_ptr(), length, Some(call), data, &mut value);
                sys::napi_set_named_property(env, exports, name.as_ptr(), value);
            }
        }
    }
}

type Tables<S> = (Table<S, Run<S>>, Table<S, RunText<S>>);

unsafe extern "C" fn drop_tables<S>(_: sys::napi_env, tables: *mut c_void, _: *mut c_void) {
    // SAFETY: `register` made it of a Box, and Node calls this once, when no JavaScript runs any more.
    drop(unsafe { Box::from_raw(tables.cast::<Tables<S>>()) });
}

/// Adds the functions and the cells to `exports`, each environment (the main thread's, each worker's) with a state of its own.
/// Without memory for the cells it adds nothing.
///
/// # Safety
/// To be called from `napi_register_module_v1`, with its arguments.
unsafe fn register<S>(
    env: sys::napi_env,
    exports: sys::napi_value,
    state: S,
    calls: &[(&CStr, Run<S>)],
    text_calls: &[(&CStr, RunText<S>)],
) {
    // SAFETY: `env` is the running call's.
    let Some((cells, buffer)) = (unsafe { Cells::new(env) }) else {
        return;
    };
    let shared = Rc::new(RefCell::new(Shared {
        state,
        place: Place {
            units: [0; UNITS],
            bytes: [[0; LANES]; UNITS / LANES],
        },
    }));
    let tables: Tables<S> = (
        Table::new(&shared, cells, calls),
        Table::new(&shared, cells, text_calls),
    );
    let tables = Box::into_raw(Box::new(tables));
    // SAFETY: `env` and `exports` are the running call's. The functions stay where they are until `drop_tables`.
    unsafe {
        sys::napi_set_instance_data(env, tables.cast(), Some(drop_tables::<S>), null_mut());
        (*tables).0.add(env, exports, calls, call::<S>);
        (*tables)
            .1
            .add(env, exports, text_calls, call_with_text::<S>);
        sys::napi_set_named_property(env, exports, c"cells".as_ptr(), buffer);
    }
}

#[no_mangle]
unsafe extern "C" fn napi_register_module_v1(
    env: sys::napi_env,
    exports: sys::napi_value,
) -> sys::napi_value {
    // Node's functions are looked up at run time there.
    #[cfg(target_env = "msvc")]
    // SAFETY: called before any of them; the library is never let go.
    std::mem::forget(unsafe { sys::setup() });
    // SAFETY: these are the arguments.
    unsafe {
        let state = crate::Engine::new();
        register(env, exports, state, crate::CALLS, crate::TEXT_CALLS);
    };
    exports
}
