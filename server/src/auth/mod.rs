//! Who asks, as extractor types: permission is in a handler's signature.
//!
//! [`Caller`] is the REST API's: a key, by `Authorization: Bearer`. [`Signed`] is the pages': a person with a session. Each names the
//! permission it needs; both ask the one function `domain::permission::authorize`.

mod caller;
mod key;
pub mod need;
mod session;
mod sign_in;
mod signed;

pub use caller::Caller;
pub use key::authenticate;
pub use need::Need;
pub use session::sessions;
pub use sign_in::SignIn;
pub use signed::{Admin, Reviewer, Signed, Viewer, Visitor};
