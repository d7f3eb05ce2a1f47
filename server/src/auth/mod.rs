//! Who asks, as extractor types: permission is in a handler's signature.
//!
//! [`Caller`] is the REST API's: a key, by `Authorization: Bearer`. [`Signed`] is the pages': a person with a session. Each names the
//! permission it needs; both ask the one function `domain::permission::authorize`. [`FreshForm`] is a form that only a fresh sign-in may send.

mod caller;
mod fresh;
mod key;
pub mod need;
mod session;
mod sign_in;
mod signed;

pub use caller::{Caller, permit};
pub use fresh::{CONFIRMS, CONFIRMS_CODE, FreshForm};
pub use key::{authenticate, require_key};
pub use need::Need;
pub use session::sessions;
pub use sign_in::{SignIn, not_signed_in};
pub use signed::{Admin, Listener, Manager, Person, Reviewer, Signed, Viewer, Visitor};
