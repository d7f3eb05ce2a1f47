//! `/bulks`, and one of them.

use app::{
    pages::bulk::{Bulk, Bulks, Item, One, bulks, one},
    shell::Place,
};
use axum::{
    extract::{Path, Query},
    response::Response,
};
use domain::id::BulkId;
use engine::{BulkItemView, BulkView, Listing, Page};
use serde::Deserialize;

use crate::{
    auth::Reviewer,
    page_error::PageError,
    pages::{by::by, form::id, look::Look},
};

/// What the address asks for.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Asked {
    after: String,
    served: String,
}

fn page(after: &str) -> Page {
    Page {
        cursor: Some(after.to_owned()).filter(|cursor| !cursor.is_empty()),
        ..Page::default()
    }
}

/// All that one sees.
pub async fn list(
    reviewer: Reviewer,
    look: Look,
    Query(asked): Query<Asked>,
) -> Result<Response, PageError> {
    let frame = look.frame(&reviewer, Place::Review).await?;
    let list = look
        .engine()
        .bulks(&reviewer.permit, &page(&asked.after))
        .await?;
    let rows = list.data.iter().map(|bulk| row(&look, bulk)).collect();
    let page = Bulks {
        rows,
        next: list.next,
    };
    look.draw(move || bulks(&frame, &page)).await
}

/// One.
pub async fn show(
    reviewer: Reviewer,
    look: Look,
    Path(text): Path<String>,
    Query(asked): Query<Asked>,
) -> Result<Response, PageError> {
    let frame = look.frame(&reviewer, Place::Review).await?;
    let id: BulkId = id(&text)?;
    let (engine, permit) = (look.engine(), &reviewer.permit);
    let bulk = engine.bulk(permit, &id).await?;
    let failed = engine
        .bulk_items(permit, &id, Listing::Failed, &page(&asked.after))
        .await?;
    let served = engine
        .bulk_items(permit, &id, Listing::Told, &page(&asked.served))
        .await?;
    let shown = One {
        bulk: row(&look, &bulk),
        reason: bulk.reason,
        can_be_undone: bulk.can_be_undone(),
        note: bulk.note,
        error: bulk.error,
        undo_of: bulk.undo_of,
        undone_by: bulk.undone_by,
        reasons: bulk.reasons.into_iter().collect(),
        told: (bulk.told, bulk.told_sessions),
        failed: failed.data.into_iter().map(item).collect(),
        next: failed.next,
        served: served.data.into_iter().map(item).collect(),
        next_served: served.next,
    };
    look.draw_while(bulk.state.is_open(), move || one(&frame, &shown))
        .await
}

fn row(look: &Look, bulk: &BulkView) -> Bulk {
    Bulk {
        id: bulk.id.clone(),
        verdict: bulk.verdict,
        state: bulk.state,
        by: by(look.text(), &bulk.by).unwrap_or_default(),
        total: bulk.total,
        done: bulk.done,
        failed: bulk.failed,
        created_at: bulk.created_at,
    }
}

fn item(item: BulkItemView) -> Item {
    Item {
        id: item.id,
        content: item.content,
        language: item.language,
        who: item.who,
        code: item.code.unwrap_or_default(),
        told: item.told,
    }
}
