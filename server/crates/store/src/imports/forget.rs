//! What is forgotten of uploads: all that was not proposed once one has ended, and somebody who is erased.

use std::collections::BTreeMap;

use domain::{
    id::{ImportId, UserId},
    import::{ImportField, ImportMapping},
    user::Scope,
};

use super::{
    IMPORTS, Import, ImportHead, Row, place,
    rows::{IMPORT_ROWS, RowRow, row_name, row_place},
};
use crate::{Result, Tx, exports::Whom, statement::sql};

impl Tx {
    /// Forgets what was uploaded and not proposed, and what may name somebody in its head; what is left is sealed under a new key.
    pub(super) async fn forget_upload(&mut self, id: &ImportId) -> Result<()> {
        const SQL: &str = "
            update import_rows
            set sealed = null
            where import_id = $1 and sealed is not null";
        sql(SQL).bind(id).run(&mut self.conn).await?;
        if let Some(import) = self.import(id).await? {
            let mut head = import.head.clone();
            head.file = None;
            head.mapping.constants.clear();
            self.seal_import_anew(&import, &head).await?;
        }
        Ok(())
    }

    /// Forgets somebody in all uploads: their rows go, and so do rows of which nobody can tell whose they are; what is left is sealed
    /// under a new key, so that no older copy opens. While an upload is kept, its file may be called after them and a value that stands
    /// for all rows may name them, whatever its rows say.
    pub(crate) async fn forget_in_imports(&mut self, whom: &Whom<'_>) -> Result<()> {
        // Who works on one waits, and so does who changes what its columns become: what they read was sealed under the old key.
        const TOUCHED: &str = "
            select id
            from imports
            where agent = $1
              and (state in ('ready', 'running', 'stopped', 'withdrawing')
                or id in (select import_id from import_rows where agent = $1 and lookup = $2))
            order by id";
        const THEIRS: &str = "
            delete from import_rows
            where agent = $1 and lookup = $2";
        const NOBODYS: &str = "
            update import_rows
            set sealed = null
            where agent = $1 and lookup is null and sealed is not null";
        let lock = self.dialect().for_update();
        let touched: Vec<(String,)> = sql(TOUCHED)
            .bind(whom.agent)
            .bind(whom.lookup)
            .push(lock)
            .all(&mut self.conn)
            .await?;
        for removal in [
            sql(THEIRS).bind(whom.agent).bind(whom.lookup),
            sql(NOBODYS).bind(whom.agent),
        ] {
            removal.run(&mut self.conn).await?;
        }
        for (id,) in touched {
            let row: Option<Row> = sql(IMPORTS)
                .clause(" and id = ?", id)
                .optional(&mut self.conn)
                .await?;
            let Some(row) = row else {
                continue;
            };
            let import = self.import_of(row).await?;
            let mut head = import.head.clone();
            head.file = None;
            let theirs = |scope: &Scope| self.user_lookup(whom.agent, scope) == whom.lookup;
            let names =
                |field: &ImportField| matches!(field, ImportField::UserId | ImportField::Scope(_));
            let all_theirs = for_all_rows(&head.mapping).is_some_and(|scope| theirs(&scope));
            // Where a column names somebody too, others are named by it and what stands for all rows, and their rows are still to come.
            let columns = &head.mapping.columns;
            let in_rows = columns.values().any(names);
            head.mapping.constants.retain(|field, value| {
                let replaced = !in_rows || columns.values().any(|becomes| becomes == field);
                let goes = all_theirs && names(field) && replaced;
                !goes && !Scope::user_id(value.trim()).is_ok_and(|scope| theirs(&scope))
            });
            self.seal_import_anew(&import, &head).await?;
        }
        Ok(())
    }

    /// Seals a head and the rows that are left under a new key, and destroys the old one.
    async fn seal_import_anew(&mut self, import: &Import, head: &ImportHead) -> Result<()> {
        const HEAD: &str = "
            update imports
            set key_id = $1, sealed = $2
            where id = $3";
        const ROW: &str = "
            update import_rows
            set sealed = $1
            where import_id = $2 and number = $3 and sealed is not null";
        let (agent, id) = (&import.agent, &import.id);
        let rows: Vec<RowRow> = sql(IMPORT_ROWS)
            .bind(id)
            .push(" and sealed is not null order by number")
            .all(&mut self.conn)
            .await?;
        let rows = self.import_rows_of(import, rows).await?;
        // The time of an id says nothing here, and there is no clock.
        let sealed_by = UserId::new(import.created_at, self.entropy());
        let key = self.make_user_key(agent, &sealed_by).await?;
        let sealed = key.seal_json(place(agent, id), head, self.entropy());
        sql(HEAD)
            .bind(&sealed_by)
            .bind(sealed)
            .bind(id)
            .run(&mut self.conn)
            .await?;
        for row in rows {
            // One that could not be opened is lost with the old key.
            let name = row_name(id, row.number);
            let sealed = row
                .record
                .map(|record| key.seal_json(row_place(agent, &name), &record, self.entropy()));
            sql(ROW)
                .bind(sealed)
                .bind(id)
                .bind(row.number)
                .run(&mut self.conn)
                .await?;
        }
        self.destroy_user_key(agent, &import.sealed_by).await
    }
}

/// Whom the values that stand for all rows name by themselves.
fn for_all_rows(mapping: &ImportMapping) -> Option<Scope> {
    let pairs: BTreeMap<String, String> = mapping
        .constants
        .iter()
        .filter_map(|(field, value)| {
            let name = match field {
                ImportField::UserId => "user_id",
                ImportField::Scope(name) => name.as_str(),
                _ => return None,
            };
            let value = value.trim();
            (!value.is_empty()).then(|| (name.to_owned(), value.to_owned()))
        })
        .collect();
    Scope::parse(pairs).ok()
}
