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
use std::mem::MaybeUninit;
use std::ptr::null_mut;
use std::rc::Rc;

use napi_sys as sys;

/// The most arguments that a function takes.
const MOST: usize = 6;
/// The longest text that is read, in UTF-16 units, and the terminator that Node adds.
const UNITS: usize = 128;

/// A function of the addon.
pub(crate) type Run<S> = fn(&mut S, &Args) -> f64;

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
    #[inline]
    pub(crate) fn number(&self, index: usize) -> f64 {
        let mut number = f64::NAN;
        // SAFETY: `env` is that of the running call. Node checks the value, null too, and then leaves `number` as it is.
        unsafe { sys::napi_get_value_double(self.env, self.value(index), &mut number) };
        number
    }

    /// Hands over a text in UTF-8; none for anything else, for a long text, and for one with a lone surrogate.
    #[inline]
    pub(crate) fn short_text<R>(&self, index: usize, take: impl FnOnce(&[u8]) -> R) -> Option<R> {
        let mut units = [MaybeUninit::<u16>::uninit(); UNITS];
        let mut length = 0;
        // SAFETY: as in `number`; Node writes at most UNITS units, the last one a zero, and says how many before it.
        let status = unsafe {
            let units = units.as_mut_ptr().cast();
            sys::napi_get_value_string_utf16(self.env, self.value(index), units, UNITS, &mut length)
        };
        // A text that fills the place may have been cut.
        if status != sys::Status::napi_ok || length >= UNITS - 1 {
            return None;
        }
        // SAFETY: Node wrote the first `length` units, and `length` is less than UNITS.
        let units = unsafe { std::slice::from_raw_parts(units.as_ptr().cast::<u16>(), length) };
        let (mut bytes, mut all) = ([0; UNITS], 0);
        for (byte, unit) in bytes.iter_mut().zip(units) {
            *byte = *unit as u8;
            all |= unit;
        }
        if all < 0x80 {
            return bytes.get(..length).map(take);
        }
        std::char::decode_utf16(units.iter().copied())
            .collect::<Result<String, _>>()
            .ok()
            .map(|text| take(text.as_bytes()))
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

struct Function<S> {
    state: Rc<RefCell<S>>,
    run: Run<S>,
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
    // SAFETY: `data` is what `register` gave: a function that lives until the environment ends.
    let function = unsafe { &*data.cast::<Function<S>>() };
    let answer = match function.state.try_borrow_mut() {
        Ok(mut state) => (function.run)(&mut state, &args),
        Err(_) => f64::NAN,
    };
    let mut result = null_mut();
    // SAFETY: `env` is that of the running call.
    unsafe { sys::napi_create_double(env, answer, &mut result) };
    result
}

unsafe extern "C" fn drop_functions<S>(_: sys::napi_env, functions: *mut c_void, _: *mut c_void) {
    // SAFETY: `register` made it of a Box, and Node calls this once, when no JavaScript runs any more.
    drop(unsafe { Box::from_raw(functions.cast::<Vec<Function<S>>>()) });
}

/// Adds the functions to `exports`, each environment (the main thread's, each worker's) with a state of its own.
///
/// # Safety
/// To be called from `napi_register_module_v1`, with its arguments.
unsafe fn register<S>(
    env: sys::napi_env,
    exports: sys::napi_value,
    state: S,
    table: &[(&CStr, Run<S>)],
) {
    let state = Rc::new(RefCell::new(state));
    let functions: Vec<_> = table
        .iter()
        .map(|(_, run)| Function {
            state: Rc::clone(&state),
            run: *run,
        })
        .collect();
    let functions = Box::into_raw(Box::new(functions));
    // SAFETY: `env` and `exports` are the running call's. The functions stay where they are until `drop_functions`.
    unsafe {
        sys::napi_set_instance_data(env, functions.cast(), Some(drop_functions::<S>), null_mut());
        for ((name, _), function) in table.iter().zip(&*functions) {
            let mut value = null_mut();
            let data = (&raw const *function).cast_mut().cast();
            let length = name.count_bytes() as isize;
            sys::napi_create_function(
                env,
                name.as_ptr(),
                length,
                Some(call::<S>),
                data,
                &mut value,
            );
            sys::napi_set_named_property(env, exports, name.as_ptr(), value);
        }
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
    unsafe { register(env, exports, crate::Engine::new(), crate::CALLS) };
    exports
}
