//! Japanese: the keys, the palette, the live desk.

use super::super::*;
use crate::keys::{Action, Goal, Wrong};

/// The keys.
pub const KEYS: Keys = Keys {
    action,
    arrived: |n| format!("新着{n}件"),
    over: "セッションが終了しました。入力した内容はこのまま残ります。新しいタブでもう一度サインインしてから続けてください。",
    over_link: "サインイン",
    skip: "スキップ",
    diff_then: "提案時の内容と比べる",
    palette: "移動と操作",
    palette_how: "入力して検索します。矢印キーで選び、Enterで実行します。",
    palette_none: "該当する項目はありません",
    palette_actions: "操作",
    palette_pages: "ページ",
    palette_agents: "エージェント",
    palette_views: "保存した表示",
    palette_search: "検索",
    find_users: |words| format!("ユーザーから「{words}」を検索"),
    find_memories: |words| format!("メモリーから「{words}」を検索"),
    find_queue: |words| format!("審査一覧から「{words}」を検索"),
    change: "キーを変更",
    lead: "レビュー画面で使う自分用のキーです。どのブラウザーでサインインしても同じキーが使えます。",
    on: "キー操作を使う",
    on_how: "オフにすると、Ctrlと組み合わせるキーだけが働きます。設定したキーは残ります。",
    write_how: "押すとおりに書きます。例：a、?、Shift+X、Ctrl+Enter、ArrowDown。続けて押す2つのキーは「g o」のように書きます。空欄にするとキーなしになります。",
    save: "キーを保存",
    reset: "初期設定に戻す",
    reset_how: "自分用のキーは消去されます。",
    reset_done: "キーを初期設定に戻しました。",
    wrong: |wrong| match wrong {
        Wrong::Shape => "キーとして読み取れません。".to_owned(),
        Wrong::Reserved => {
            "ブラウザーが使うキーか、削除のキーです。別のキーを選んでください。".to_owned()
        }
        Wrong::Taken(other) => format!("このキーはすでに使われています：{}", action(other)),
        Wrong::NeedsCtrl => "入力中にも働くため、Ctrlとの組み合わせが必要です。".to_owned(),
    },
};

fn action(action: Action) -> &'static str {
    match action {
        Action::Next => "次の候補",
        Action::Previous => "前の候補",
        Action::Open => "候補の欄へ移動",
        Action::Approve => "承認",
        Action::Edit => "編集",
        Action::Save => "編集中に保存して承認",
        Action::Merge => "保存済みのメモリーに統合",
        Action::Reject => "却下…",
        Action::Reason(1) => "…一時的",
        Action::Reason(2) => "…誤り",
        Action::Reason(3) => "…本人以外の話",
        Action::Reason(4) => "…機微な内容",
        Action::Reason(5) => "…重複",
        Action::Reason(6) => "…指示文",
        Action::Reason(_) => "…その他",
        Action::Skip => "判断せずに次へ",
        Action::Claim => "5分間担当する",
        Action::Select => "選択・選択解除",
        Action::SelectRange => "直前の選択からここまで選択",
        Action::Undo => "取り消し",
        Action::DiffBase => "比較元を切り替え（提案時／現在）",
        Action::Evidence => "根拠へ移動",
        Action::Search => "検索",
        Action::Filter => "絞り込み",
        Action::ShowNew => "新着を表示",
        Action::Go(Goal::Overview) => "概要へ移動",
        Action::Go(Goal::Queue) => "審査一覧へ移動",
        Action::Go(Goal::Users) => "ユーザーへ移動",
        Action::Go(Goal::Memories) => "メモリーへ移動",
        Action::Go(Goal::Agents) => "エージェントへ移動",
        Action::Help => "この一覧",
        Action::Palette => "移動先や操作を検索",
    }
}
