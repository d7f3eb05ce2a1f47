//! What others do, while they do it. A browser opens few connections to one site at a time, so of all its desks one holds the stream
//! (whoever has the lock) and tells the others over a channel; when it goes, the next one gets the lock. Without any of this the desk
//! still looks again every so often.

use wasm_bindgen::{JsCast, JsValue, prelude::Closure};
use web_sys::{
    BroadcastChannel, Event, EventSource, MessageEvent,
    js_sys::{Array, Function, JSON, Promise, Reflect},
};

use super::{dom, list, look, paint, state::Desk};

/// The name of the lock and of the channel.
const NAME: &str = "keepsake-live";

/// What the server tells apart.
const EVENTS: [&str; 4] = ["hello", "happened", "again", "over"];

/// Hears from now on.
pub fn listen(desk: &Desk) {
    let Ok(channel) = BroadcastChannel::new(NAME) else {
        return;
    };
    let heard = desk.clone();
    dom::listen(&channel, "message", move |event: MessageEvent| {
        if let Some((name, data)) = event.data().as_string().as_deref().and_then(split) {
            hear(&heard, name, data);
        }
    });
    desk.with(|memory| memory.channel = Some(channel));
    take_turn(desk);
}

fn split(message: &str) -> Option<(&str, &str)> {
    message.split_once('\n')
}

/// Waits for the turn to hold the stream, unless it does so already.
pub fn take_turn(desk: &Desk) {
    let channel = desk.with(|memory| {
        let channel = memory.channel.clone()?;
        let waits = std::mem::replace(&mut memory.waits_for_turn, true);
        (!waits).then_some(channel)
    });
    let Some(channel) = channel else { return };
    let desk = desk.clone();
    let turn = Closure::once_into_js(move |_lock: JsValue| {
        // The lock is held for as long as this promise is open.
        Promise::new(&mut |resolve, _| hold(&desk, &channel, resolve))
    });
    let asked = locks().and_then(|locks| {
        let request = Reflect::get(&locks, &"request".into()).ok()?;
        let request: Function = request.dyn_into().ok()?;
        request.call2(&locks, &NAME.into(), &turn).ok()
    });
    // Without locks every desk would hold a stream: then none does.
    drop(asked);
}

fn locks() -> Option<JsValue> {
    let navigator = Reflect::get(&dom::window(), &"navigator".into()).ok()?;
    let locks = Reflect::get(&navigator, &"locks".into()).ok()?;
    (!locks.is_undefined()).then_some(locks)
}

fn hold(desk: &Desk, channel: &BroadcastChannel, let_go: Function) {
    let Ok(stream) = EventSource::new("/live") else {
        let _ = let_go.call0(&JsValue::NULL);
        return;
    };
    let end = {
        let (desk, stream) = (desk.clone(), stream.clone());
        move || {
            stream.close();
            desk.with(|memory| memory.waits_for_turn = false);
            let _ = let_go.call0(&JsValue::NULL);
        }
    };
    for name in EVENTS {
        let (desk, channel, end) = (desk.clone(), channel.clone(), end.clone());
        dom::listen(&stream, name, move |event: MessageEvent| {
            let data = event.data().as_string().unwrap_or_default();
            let _ = channel.post_message(&format!("{name}\n{data}").into());
            hear(&desk, name, &data);
            if name == "over" {
                end();
            }
        });
    }
    let broken = stream.clone();
    dom::listen(&stream, "error", move |_: Event| {
        // What the browser does not open again by itself is tried anew at the next look.
        if broken.ready_state() == EventSource::CLOSED {
            end();
        }
    });
}

fn hear(desk: &Desk, name: &str, data: &str) {
    if name != "happened" {
        look::told(desk);
        return;
    }
    let mut of_others = false;
    for (what, id) in happenings(data) {
        // What was decided here is told here already.
        if desk.with(|memory| memory.mine.remove(&id)) {
            continue;
        }
        of_others = true;
        let leaves = matches!(
            what.as_str(),
            "candidate.approved"
                | "candidate.rejected"
                | "candidate.expired"
                | "candidate.superseded"
        );
        if leaves && let Some(row) = paint::row(&id) {
            list::leave(desk, &row);
        }
    }
    if of_others {
        look::told(desk);
    }
}

fn happenings(data: &str) -> Vec<(String, String)> {
    let Ok(Ok(all)) = JSON::parse(data).map(JsCast::dyn_into::<Array>) else {
        return Vec::new();
    };
    let text = |one: &JsValue, name: &str| Reflect::get(one, &name.into()).ok()?.as_string();
    all.iter()
        .filter_map(|one| Some((text(&one, "type")?, text(&one, "id")?)))
        .collect()
}
