//! The document's `security` comes from the handler's own signature: what it asks for is what is written down.

use domain::{key::KeyScope, permission::Permission};
use utoipa::openapi::{extensions::ExtensionsBuilder, security::SecurityRequirement};
use utoipa_axum::router::UtoipaMethodRouter;

use crate::{
    auth::{Caller, Need},
    state::AppState,
};

/// The name of the one security scheme.
pub const SCHEME: &str = "key";

/// A handler whose first argument is [`Caller<P>`].
pub trait GuardedBy<P, Rest> {}

macro_rules! guarded_by {
    ($($rest:ident),*) => {
        impl<F, P, Answer, $($rest),*> GuardedBy<P, ($($rest,)*)> for F
        where
            F: Fn(Caller<P>, $($rest),*) -> Answer
        {}
    };
}

guarded_by!();
guarded_by!(A);
guarded_by!(A, B);
guarded_by!(A, B, C);
guarded_by!(A, B, C, D);
guarded_by!(A, B, C, D, E);
guarded_by!(A, B, C, D, E, G);

/// The name under which the document says which permission a person's roles must hold.
pub const PERMISSION: &str = "x-permission";

/// What a handler asks for: a key's scope, and a person's permission.
pub fn needs_of<P: Need, Rest, F: GuardedBy<P, Rest>>(_: &F) -> (KeyScope, Permission) {
    (P::SCOPE, P::PERMISSION)
}

/// Writes what is asked for into the description of the route.
pub fn secured(
    (schemas, mut paths, router): UtoipaMethodRouter<AppState>,
    (scope, permission): (KeyScope, Permission),
) -> UtoipaMethodRouter<AppState> {
    for item in paths.paths.values_mut() {
        let operations = [
            &mut item.get,
            &mut item.post,
            &mut item.patch,
            &mut item.put,
            &mut item.delete,
        ];
        for operation in operations.into_iter().flatten() {
            operation.security = Some(vec![SecurityRequirement::new(SCHEME, [scope.as_str()])]);
            let permission = ExtensionsBuilder::new().add(PERMISSION, permission.as_str());
            operation.extensions = Some(permission.build());
        }
    }
    (schemas, paths, router)
}

/// A described route whose handler begins with a [`Caller`]; one without does not compile.
macro_rules! guarded {
    ($($handler:tt)+) => {
        $crate::api::guard::secured(
            utoipa_axum::routes!($($handler)+),
            $crate::api::guard::needs_of(&$($handler)+),
        )
    };
}
pub(crate) use guarded;
