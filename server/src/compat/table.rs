//! The table of a surface's routes. From it come the router and the list of who may call what; what a route asks for is read from
//! its handler's own signature.

use axum::{
    Router,
    handler::Handler,
    http::Method,
    routing::{self, MethodFilter},
};
use domain::{key::KeyScope, permission::Permission};

use crate::{
    api::guard::{GuardedBy, needs_of},
    auth::Need,
    state::AppState,
};

/// A line of the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Route {
    /// The method.
    pub method: Method,
    /// The whole path, with its parameters in braces.
    pub path: String,
    /// The scope of a key.
    pub scope: KeyScope,
    /// What a person's roles must hold.
    pub permission: Permission,
}

/// The routes so far.
pub struct Table {
    prefix: &'static str,
    routes: Vec<Route>,
    router: Router<AppState>,
}

impl Table {
    /// None yet, under a prefix.
    pub fn under(prefix: &'static str) -> Self {
        Self {
            prefix,
            routes: Vec::new(),
            router: Router::new(),
        }
    }

    /// One handler at each of these paths.
    pub fn on<H, T, P, Rest>(mut self, method: Method, paths: &[&str], handler: H) -> Self
    where
        H: Handler<T, AppState> + GuardedBy<P, Rest>,
        T: 'static,
        P: Need,
    {
        let (scope, permission) = needs_of(&handler);
        let filter = MethodFilter::try_from(method.clone()).expect("a method that routes have");
        for path in paths {
            self.router = self
                .router
                .route(path, routing::on(filter, handler.clone()));
            self.routes.push(Route {
                method: method.clone(),
                path: format!("{}{path}", self.prefix),
                scope,
                permission,
            });
        }
        self
    }

    /// What answers, without the prefix.
    pub fn router(self) -> Router<AppState> {
        self.router
    }

    /// The lines.
    pub fn routes(self) -> Vec<Route> {
        self.routes
    }
}
