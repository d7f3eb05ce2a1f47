//! Japanese: decisions by the hundred.

use domain::bulk::{BulkState, BulkVerdict};

use super::super::*;

/// Decisions by the hundred.
pub const BULK: Bulk = Bulk {
    title: "一括の判断",
    lead: "一度に多数を判断した操作の一覧です。進み具合、できなかったもの、取り消しの方法がわかります。",
    none: "一括の判断はまだありません",
    none_how: "審査の一覧で行を選ぶか、条件に合うものすべてを対象にできます。",
    how: "行を選ぶと、まとめて判断できます。",
    bar: "まとめて判断",
    selected: "件を選択中",
    verdict: |verdict| match verdict {
        BulkVerdict::Approve => "承認",
        BulkVerdict::Reject => "却下",
        BulkVerdict::Reopen => "審査に戻す",
    },
    selected_button: |verdict| match verdict {
        BulkVerdict::Approve => "選択した行を承認",
        BulkVerdict::Reject => "選択した行を却下",
        BulkVerdict::Reopen => "選択した行を審査に戻す",
    },
    hand_over: "選択した行を引き渡す",
    all: |verdict, n| {
        let number = grouped(n);
        match verdict {
            BulkVerdict::Approve => format!("条件に合う{number}件をすべて承認…"),
            BulkVerdict::Reject => format!("条件に合う{number}件をすべて却下…"),
            BulkVerdict::Reopen => format!("条件に合う{number}件をすべて審査に戻す…"),
        }
    },
    note: "メモ",
    note_how: "それぞれの判断に残り、引き渡しにも添えられます。",
    insist: "注意が必要なものも承認する",
    insist_how: "指示、矛盾、第三者、要配慮情報、個人情報を含むものと、対象が変わった変更は、通常は審査待ちのまま残ります。理由をメモに書いてください。",
    confirm: |n| format!("承認するには{n}と入力"),
    confirm_how: |n| {
        format!(
            "一度に{}件を承認します。承認したものはすぐに提供されます。",
            grouped(n)
        )
    },
    still_selected: |n| format!("{}件は処理されませんでした", grouped(n)),
    not_done: "処理されなかったもの",
    why: |code| {
        Some(match code {
            "risky" => "注意が必要です。個別に確認してください",
            "already_decided" | "not_pending" => "ほかの人が先に判断しました",
            "stale" => "選択した後に変更されました",
            "expired" => "期限が切れました",
            "moved_on" => "対象がすでに変わっています",
            "slot_taken" => "同じ種類と名前のメモリーがすでにあります",
            "memory_limit" => "このユーザーのメモリーは上限に達しています",
            "claimed" => "ほかの人が担当中です",
            "language_not_yours" => "担当外の言語です",
            "unknown" => "選んだ相手は担当できません",
            "second_person_needed" => "別の人の同意が必要です",
            "opted_out" => "本人がオプトアウトしています",
            "still_waiting" => "すでに審査待ちです",
            "not_found" => "すでにないか、閲覧できません",
            "secret" => "秘密情報を含んでいます",
            "invalid" => "種類の形式に合いません",
            "internal" => "Keepsakeの内部で問題が起きました",
            _ => return None,
        })
    },
    why_else: |code| format!("拒否されました（{code}）"),
    matching: |verdict, n| {
        let number = grouped(n);
        match verdict {
            BulkVerdict::Approve => format!("{number}件を承認"),
            BulkVerdict::Reject => format!("{number}件を却下"),
            BulkVerdict::Reopen => format!("{number}件を審査に戻す"),
        }
    },
    frozen: |at| {
        format!(
            "{at}の時点で条件に合うものすべてです。後から届いたものには触れません。順番が来る前に変わったものはそのまま残し、お知らせします。"
        )
    },
    count: |n| format!("{}件", grouped(n)),
    by_kind: "種類別",
    by_flag: "フラグ別",
    flags_none: "フラグの付いたものはありません。",
    risky: |n| {
        format!(
            "うち{}件は注意が必要なため、審査待ちのまま残ります。個別に確認してください。",
            grouped(n)
        )
    },
    start: |verdict, n| {
        let number = grouped(n);
        match verdict {
            BulkVerdict::Approve => format!("{number}件を承認"),
            BulkVerdict::Reject => format!("{number}件を却下"),
            BulkVerdict::Reopen => format!("{number}件を審査に戻す"),
        }
    },
    nothing: "条件に合うものはありません",
    nothing_how: "その間に、ほかの人が判断したのかもしれません。",
    back: "一覧に戻る",
    one: |verdict, n| {
        let number = grouped(n);
        match verdict {
            BulkVerdict::Approve => format!("{number}件の承認"),
            BulkVerdict::Reject => format!("{number}件の却下"),
            BulkVerdict::Reopen => format!("{number}件を審査に戻す操作"),
        }
    },
    state: |state| match state {
        BulkState::Collecting => "収集中",
        BulkState::Running => "実行中",
        BulkState::Done => "完了",
        BulkState::Failed => "続行できません",
        BulkState::Stopped => "中止",
    },
    error: |code| {
        match code {
        "deactivated" => {
            "依頼した人が無効になりました。判断していないものは審査待ちのままです。".to_owned()
        }
        "forbidden" => {
            "依頼した人に判断する権限がなくなりました。判断していないものは審査待ちのままです。"
                .to_owned()
        }
        "key_ended" => {
            "依頼に使われたキーが失効したか、期限が切れました。判断していないものは審査待ちのままです。"
                .to_owned()
        }
        other => format!("続行できませんでした（{other}）。"),
    }
    },
    by: "依頼者",
    progress: |tried, total| format!("{}／{}件", grouped(tried), grouped(total)),
    result: |done, failed| {
        if failed == 0 {
            format!("{}件完了", grouped(done))
        } else {
            format!("{}件完了、{}件失敗", grouped(done), grouped(failed))
        }
    },
    look_again: "もう一度見る",
    stop: "中止",
    stop_how: "判断済みのものはそのままです。残りは審査待ちのままです。",
    undo: "すべて取り消す",
    undo_how: "判断したものは元の期限まで（過ぎている場合は新たに7日間）審査待ちになり、メモリーは元に戻ります。",
    undone: "取り消し済みです。",
    undo_of: "前の操作の取り消しです。",
    told: "その間に提供されたもの",
    told_lead: |memories, sessions| {
        format!(
            "取り消しの前に、{}件が延べ{}件の会話に提供されていました。会話は候補のページにあります。",
            grouped(memories),
            grouped(sessions)
        )
    },
    told_none: "その間に提供されたものはありません。",
    sessions: |n| format!("{}件の会話", grouped(n)),
    candidate: "候補",
    reason: "理由",
    decided: "結果",
    asked: "依頼",
    all_recent: "一括の判断の一覧",
    flash_done: |verdict, done, failed| {
        let word = match verdict {
            BulkVerdict::Approve => "承認",
            BulkVerdict::Reject => "却下",
            BulkVerdict::Reopen => "審査に戻",
        };
        if failed == 0 {
            format!("{}件を{word}しました", grouped(done))
        } else {
            format!(
                "{}件を{word}しました。{}件は失敗しました",
                grouped(done),
                grouped(failed)
            )
        }
    },
    flash_undone: |done, failed| {
        if failed == 0 {
            format!("取り消しました。{}件が審査待ちに戻りました", grouped(done))
        } else {
            format!(
                "取り消しました。{}件が審査待ちに戻り、{}件は失敗しました",
                grouped(done),
                grouped(failed)
            )
        }
    },
    flash_handed_over: |done, failed| {
        if failed == 0 {
            format!("{}件を引き渡しました", grouped(done))
        } else {
            format!(
                "{}件を引き渡しました。{}件は失敗しました",
                grouped(done),
                grouped(failed)
            )
        }
    },
    flash_told: |n| format!("うち{}件は、その間に提供されていました。", grouped(n)),
    flash_started: "裏で実行しています。このページを離れてもかまいません。",
    flash_stopped: "中止しました。判断していないものは審査待ちのままです。",
    flash_none: "何も選択されていません。先に行を選んでください。",
    see: "内訳を見る",
};
