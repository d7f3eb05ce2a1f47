"""The shapes of the API. Made by clients/generate.py from the OpenAPI document of Keepsake; not to be edited."""

from __future__ import annotations

from typing import Any, Dict, List, Literal, NamedTuple, Optional, TypedDict, Union

Action = Literal["create", "update", "merge", "retire"]
AgentName = str
CandidateId = str
Cause = Literal["limit", "never_helpful", "date_passed", "schema_changed", "trend", "returning", "other_id"]
Change = Literal["same", "removed", "added"]
ConversationId = str
CutFor = Literal["budget", "cap", "irrelevant", "other_id", "grace"]
DecisionId = str
Flag = Literal["contradiction", "possible_duplicate", "third_party", "personal_data", "special_category", "instruction", "hidden_characters", "bad_number", "no_evidence", "not_said_by_user", "imported", "asked_to_forget", "target_moved", "date_passed", "opted_out"]
ImportId = str
MemoryId = str
MemoryStatus = Literal["approved", "retired"]
MessageId = str
OperationId = str
Reason = Literal["not_durable", "wrong", "third_party", "sensitive", "duplicate", "instruction", "other", "expired", "superseded"]
RetiredFor = Literal["deleted", "expired", "merged", "undone", "recalled"]
RevisionAction = Literal["create", "update", "merge", "restore", "retire"]
Role = Literal["user", "assistant", "system", "tool"]
Scope = Dict[str, str]
ServingId = str
Source = Literal["human", "agent", "automation"]
Status = Literal["pending", "approved", "rejected"]
StoredFlag = Literal["contradiction", "possible_duplicate", "third_party", "personal_data", "special_category", "instruction", "hidden_characters", "bad_number", "no_evidence", "not_said_by_user", "imported", "asked_to_forget"]
UserId = str
ValueName = Literal["kind", "name", "importance", "tags", "metadata"]
Why = Literal["always", "relevant", "ranked"]
Word = Literal["approve", "reject", "reopen"]


class _Accepted(TypedDict):
    accepted: int
    """How many messages are new."""

    known: int
    """How many were known."""

    operation: OperationId
    """What will read it."""

    warnings: List[str]
    """Fields that were ignored."""


class Accepted(_Accepted, total=False):
    """What was taken."""

    conversation: Optional[ConversationId]
    """The conversation; `None` where nothing is stored."""

    skipped: Optional[str]
    """Why nothing is stored."""


class ApprovePost(TypedDict, total=False):
    """What the approver changes; what is left out stays as proposed."""

    absorbed_revisions: Dict[str, int]
    """Of a merge, the revisions of the memories to be retired that were seen; left out: those it was proposed against."""

    content: Optional[str]
    """Another statement."""

    importance: Optional[float]
    """Another importance, 0.0 to 1.0."""

    kind: Optional[str]
    """Another kind."""

    merge_into: Optional[MemoryId]
    """The memory that takes this in."""

    metadata: Optional[Dict[str, Any]]
    """Other metadata."""

    name: Optional[str]
    """Another name."""

    note: Optional[str]
    """Why, for the history."""

    target_revision: Optional[int]
    """The revision of the memory to be changed that was seen; left out: the one it was proposed against. Naming the revision that
    retired it brings it back with the new value."""


class _By(TypedDict):
    type: str
    """`person`, `key`, `policy`, `system`."""


class By(_By, total=False):
    """Who did something, by name."""

    name: Optional[str]
    """The person's or key's name; of a policy, who switched it on."""

    policy: Optional[str]
    """The policy that decided."""


class _CandidatePost(TypedDict):
    kind: str
    """A kind of the agent, such as `preference`, `fact` or `context`."""


class CandidatePost(_CandidatePost, total=False):
    """A proposal made by hand; it always waits for a person."""

    action: Optional[Action]
    """Left out: found by what is stored."""

    confidence: Optional[float]
    """How sure the proposer is, 0.0 to 1.0."""

    content: Optional[str]
    """The statement, at most 2,000 characters; left out with `retire`, which takes all of it from its target."""

    explanation: Optional[str]
    """One sentence on why."""

    importance: Optional[float]
    """How much it matters, 0.0 to 1.0."""

    metadata: Dict[str, Any]
    """Metadata that fits the kind's schema."""

    name: Optional[str]
    """What identifies the thing within its kind, such as the name of a metric."""

    scope: Optional[Dict[str, str]]
    """At most five pairs that name the user where one id does not; this or `user_id`."""

    tags: List[str]
    """Free tags."""

    target: Optional[MemoryId]
    """The memory it is about, `mem_…`; `update` and `retire` need one."""

    user_id: Optional[str]
    """Whom it is about, by the agent's own id of them; this or `scope`. At most 256 characters."""


class _CandidateView(TypedDict):
    absorbed: List[MemoryId]
    """The memories a merge would retire."""

    action: Action
    """What it would do."""

    agent: AgentName
    """The agent it belongs to."""

    confidence: float
    """How sure the extractor is, 0.0 to 1.0."""

    content: str
    """The statement."""

    created_at: str
    """When it was proposed."""

    evidence: List[Evidence]
    """The words that support it."""

    expires_at: str
    """When it stops waiting."""

    flags: List[Flag]
    """Warnings."""

    id: CandidateId
    """Ours."""

    importance: float
    """How much it matters, 0.0 to 1.0."""

    kind: str
    """Its kind."""

    language: str
    """BCP 47 language of the content."""

    metadata: Dict[str, Any]
    """Metadata that fits the kind's schema."""

    status: Status
    """`pending` also where its time has passed and the expiry has not run; `reason` is then `expired`."""

    tags: List[str]
    """Free tags."""

    version: int
    """Raised by one with every change of status."""


class CandidateView(_CandidateView, total=False):
    """A candidate, outward."""

    agreed_by: Optional[AgreedBy]
    """Who agreed to it as the first of two people: while it waits for the second, and beside who decided (G9)."""

    cause: Optional[Cause]
    """Why Keepsake itself proposes it; absent where a conversation or somebody's hand did."""

    claim: Optional[ClaimView]
    """Who has claimed it to decide on it; absent where nobody has."""

    decided_at: Optional[str]
    """When it was decided."""

    decided_by: Optional[By]
    """By whom."""

    explanation: Optional[str]
    """The extractor's one sentence on why."""

    extractor: Optional[Provenance]
    """What made it; `None`: a person or an agent, by hand."""

    handover: Optional[HandoverView]
    """For whom it waits, where somebody handed it over."""

    imported: Optional[ImportedFrom]
    """Where it comes from, where that is a file (G13)."""

    memory: Optional[MemoryId]
    """The memory it made or changed."""

    name: Optional[str]
    """What identifies the thing within its kind."""

    reason: Optional[Reason]
    """Why it was rejected."""

    scope: Optional[Scope]
    """The pairs that name them, where a plain user id does not."""

    target: Optional[MemoryId]
    """The memory it is about."""

    target_revision: Optional[int]
    """The revision of that memory it was proposed against."""

    user_id: Optional[str]
    """Whom it is about, by the agent's own name."""


class ClaimView(TypedDict):
    """A claim, outward."""

    by: By
    """Whose it is."""

    until: str
    """When it runs out unless it is renewed."""


class _Context(TypedDict):
    block: str
    """The text; empty where nothing is served."""

    cut: List[ContextCut]
    """What is not, and why."""

    etag: str
    """Changes when the block does."""

    items: List[ContextItem]
    """What is in it."""

    serving: ServingId
    """The record of it."""

    tokens: int
    """What it costs, about."""


class Context(_Context, total=False):
    """A block for a system prompt, and what it is made of."""

    profiles: Optional[Dict[str, Any]]
    """In the layout `profile` what the block says, as stored: schema, then field, then value."""

    reason: Optional[str]
    """Why nothing is served at all."""

    warnings: List[str]
    """Fields that were ignored."""


class ContextAnswerUnchanged(TypedDict):
    """What the agent has is still true."""

    etag: str
    """The same etag."""

    unchanged: bool
    """Always true."""


class ContextCut(TypedDict):
    """A memory left out of a block."""

    memory: MemoryId
    """Which."""

    why: CutFor
    """Why."""


class ContextItem(TypedDict):
    """A memory in a block."""

    content: str
    """The statement."""

    kind: str
    """Its kind."""

    memory: MemoryId
    """Which."""

    revision: int
    """Which revision."""

    said_at: str
    """When it was said."""

    score: float
    """Its rank, 0.0 to 1.0."""

    why: Why
    """Why it is in."""


class ContextPost(TypedDict, total=False):
    """For whom, and for what. Fields that are not known are named in `warnings`."""

    conversation_id: Optional[str]
    """The agent's own id of the conversation it is for."""

    if_changed: Optional[str]
    """The `etag` of the block the caller has: while it holds, nothing is sent again."""

    layout: Optional[str]
    """The form of the block: `by_kind`, `prior_knowledge` or `profile`. Left out: `by_kind`."""

    max_tokens: Optional[int]
    """The most tokens of the block. Left out: 4,000."""

    model_window: Optional[int]
    """The size of the caller's model window in tokens: the block takes at most a tenth of it."""

    query: Optional[str]
    """What the user wants now, in their own words; ranks what is not always in."""

    scope: Optional[Dict[str, str]]
    """At most five pairs that name the user where one id does not; this or `user_id`."""

    user_id: Optional[str]
    """Who the agent talks to, by its own id of them, the same in every call; this or `scope`. At most 256 characters."""


class ConversationPost(TypedDict, total=False):
    """Messages of one conversation. Fields that are not known are named in `warnings`."""

    conversation_id: Optional[str]
    """The agent's own id of the conversation. Without one each post is a new conversation."""

    end: bool
    """The conversation is over: extract what is left."""

    flush: bool
    """Extract what is left now."""

    messages: List[MessagePost]
    """At most 500; empty only with `end` or `flush`."""

    scope: Optional[Dict[str, str]]
    """The pairs that name the user, at most five; this or `user_id`."""

    time_zone: Optional[str]
    """IANA name of the zone in which relative dates are meant."""

    user_id: Optional[str]
    """Who the agent talks to; this or `scope`. At most 256 characters."""


class DecidePost(TypedDict):
    """Several decisions."""

    decisions: List[DecisionPost]
    """At most 200."""


class Decided(TypedDict):
    """What came of each, in the order asked."""

    results: List[DecisionResult]


class _DecisionPost(TypedDict):
    decision: Word
    """What."""

    id: CandidateId
    """On which candidate."""


class DecisionPost(_DecisionPost, total=False):
    """One of them."""

    absorbed_revisions: Dict[str, int]
    """With `approve` of a merge: the revisions of the memories to be retired that were seen."""

    content: Optional[str]
    """With `approve`: another statement."""

    importance: Optional[float]
    """With `approve`: another importance."""

    kind: Optional[str]
    """With `approve`: another kind."""

    merge_into: Optional[MemoryId]
    """With `approve`: the memory that takes this in."""

    metadata: Optional[Dict[str, Any]]
    """With `approve`: other metadata."""

    name: Optional[str]
    """With `approve`: another name."""

    note: Optional[str]
    """For the history."""

    reason: Optional[Reason]
    """With `reject`: why."""

    target_revision: Optional[int]
    """With `approve`: the revision of the memory to be changed that was seen; left out: the one it was proposed against."""

    version: Optional[int]
    """The version that was seen; left out: whichever there is."""


class _DecisionResult(TypedDict):
    id: CandidateId
    """On which candidate."""

    status: str
    """`done` or `failed`."""


class DecisionResult(_DecisionResult, total=False):
    """What came of one of many decisions."""

    code: Optional[str]
    """Why it failed, for programs; `agreed` where it is done and waits for the second of two people."""

    detail: Optional[str]
    """Why it failed, for people."""

    memory: Optional[MemoryId]
    """The memory that was made or changed."""


class _DecisionView(TypedDict):
    at: str
    """When."""

    by: By
    """By whom."""

    decision: str
    """`approve`, `reject` or `reopen`."""

    id: DecisionId
    """Ours."""


class DecisionView(_DecisionView, total=False):
    """A decision, outward."""

    agreed_by: Optional[By]
    """Who had agreed before, where two people were needed."""

    edit: Optional[Edit]
    """What the approver changed."""

    note: Optional[str]
    """The note."""

    reason: Optional[Reason]
    """Why, of a rejection."""


class Edit(TypedDict, total=False):
    """What an approver changed; `None` leaves the proposal's value."""

    content: Optional[str]
    """Another content."""

    importance: Optional[float]
    """Another importance."""

    kind: Optional[str]
    """Another kind."""

    metadata: Optional[Dict[str, Any]]
    """Other metadata."""

    name: Optional[str]
    """Another name."""


class _Evidence(TypedDict):
    conversation: ConversationId
    """Where they were said."""

    end: int
    """One past the last."""

    quote: str
    """The original slice."""

    start: int
    """First code point of the message, on a grapheme border."""


class Evidence(_Evidence, total=False):
    """Words that support a candidate."""

    message: Optional[MessageId]
    """In which message; `None` where the whole conversation is meant."""


class FeedbackPost(TypedDict):
    """Whether a memory that was served helped. Fields that are not known are ignored."""

    helped: bool
    """Whether it helped."""

    memory: MemoryId
    """One of its items' `memory`."""

    serving: ServingId
    """The `serving` of the context."""


class _HandoverView(TypedDict):
    at: str
    """When."""

    by: By
    """Who handed it over."""


class HandoverView(_HandoverView, total=False):
    """A hand-over, outward."""

    note: Optional[str]
    """What they wrote."""

    to: Optional[By]
    """For whom it waits; `None`: for whoever speaks its language."""


_ImportedFromReserved = TypedDict("_ImportedFromReserved", {"import": "ImportId"})


class _ImportedFrom(_ImportedFromReserved):
    row: int
    """The row, from 1."""


class ImportedFrom(_ImportedFrom, total=False):
    """Where a candidate comes from, where that is a file."""

    said_at: Optional[str]
    """When it was said, by the file."""

    source_id: Optional[str]
    """What it is called where it comes from."""


class ListCandidatesQuery(TypedDict, total=False):
    """The parameters of `list_candidates`."""

    action: Action
    """That would do this."""

    agent: AgentName
    """Of this agent."""

    claim: Literal["me", "free"]
    """Who has claimed a candidate."""

    confidence_from: float
    """At least this sure, 0.0 to 1.0."""

    cursor: str
    """From `next` of the page before."""

    expired_unseen: bool
    """Whether only those that expired before anybody decided."""

    expiring_within_hours: int
    """That expire within so many hours, at most 65,535."""

    flag: StoredFlag
    """With this flag. `target_moved`, `date_passed` and `opted_out` are worked out on reading, and cannot be asked for."""

    handed_to: str
    """That were handed over: to `me`, to whoever speaks their language (`native`), or to this person, `per_…`."""

    kind: str
    """Of this kind."""

    language: str
    """In this language, or in one of several with commas between them."""

    limit: int
    """Rows, 1 to 200; left out: 50."""

    scope: str
    """About exactly the user these pairs name, as a JSON object."""

    status: Status
    """`pending` means waiting: not past its time."""

    text: str
    """With these words. What was decided is not found by its words any more."""

    user: UserId
    """About this user, `usr_…`."""

    user_id: str
    """About this user, as the agent names them."""

    waiting_longer_than_hours: int
    """That have waited longer than so many hours, at most 65,535."""


class ListMemoriesQuery(TypedDict, total=False):
    """The parameters of `list_memories`."""

    agent: AgentName
    """Of this agent."""

    cursor: str
    """From `next` of the page before."""

    kinds: str
    """Of these kinds, separated by commas."""

    limit: int
    """Rows, 1 to 200; left out: 50."""

    scope: str
    """About exactly the user these pairs name, as a JSON object."""

    status: MemoryStatus
    """`retired` is for persons. Left out: `approved`."""

    user: UserId
    """About this user, `usr_…`."""

    user_id: str
    """About this user, as the agent names them."""


class _ListedCandidateView(TypedDict):
    data: List[CandidateView]
    """The rows."""


class ListedCandidateView(_ListedCandidateView, total=False):
    """One page of a list."""

    next: Optional[str]
    """The `cursor` of the next page; null on the last."""


class _ListedFound(TypedDict):
    data: List[Found]
    """The rows."""


class ListedFound(_ListedFound, total=False):
    """One page of a list."""

    next: Optional[str]
    """The `cursor` of the next page; null on the last."""


class _ListedMemoryView(TypedDict):
    data: List[MemoryView]
    """The rows."""


class ListedMemoryView(_ListedMemoryView, total=False):
    """One page of a list."""

    next: Optional[str]
    """The `cursor` of the next page; null on the last."""


class _ListedRevisionView(TypedDict):
    data: List[RevisionView]
    """The rows."""


class ListedRevisionView(_ListedRevisionView, total=False):
    """One page of a list."""

    next: Optional[str]
    """The `cursor` of the next page; null on the last."""


class _Mark(TypedDict):
    end: int
    """One past the last."""

    start: int
    """First code point."""


class Mark(_Mark, total=False):
    """Words that support a candidate."""

    candidate: Optional[CandidateId]
    """Which candidate."""


class _MemoryView(TypedDict):
    agent: AgentName
    """The agent it belongs to."""

    confidence: float
    """How sure the extractor was, 0.0 to 1.0."""

    content: str
    """The statement."""

    created_at: str
    """When it was first approved."""

    flags: List[Flag]
    """Warnings that depend on the day it is read: `date_passed` (G12)."""

    id: MemoryId
    """Ours."""

    importance: float
    """How much it matters, 0.0 to 1.0."""

    kind: str
    """Its kind."""

    metadata: Dict[str, Any]
    """Metadata that fits the kind's schema."""

    revision: int
    """The number of its newest revision."""

    status: MemoryStatus
    """Whether it is served."""

    tags: List[str]
    """Free tags."""

    updated_at: str
    """When its newest revision was made."""


class MemoryView(_MemoryView, total=False):
    """A memory, outward."""

    conversation: Optional[ConversationId]
    """The conversation it was said in."""

    expires_at: Optional[str]
    """When it stops being served."""

    made_by: Optional[Provenance]
    """Which extractor, prompt and schema made its newest value that was extracted; `null` where all of it was written by hand."""

    name: Optional[str]
    """What identifies the thing within its kind."""

    reason: Optional[RetiredFor]
    """Why not."""

    scope: Optional[Scope]
    """The pairs that name them, where a plain user id does not."""

    user_id: Optional[str]
    """Whom it is about, by the agent's own name."""


class _MessagePost(TypedDict):
    content: str
    """What was said, at most 32 KiB."""

    role: Role
    """Who speaks."""


class MessagePost(_MessagePost, total=False):
    """A message."""

    at: Optional[str]
    """When; left out: now."""

    id: Optional[str]
    """The agent's own id of it; sent again, it is known."""

    source: Optional[Source]
    """Who made the words, where the role does not say it. Left out: `human`."""


class OperationError(TypedDict):
    """What went wrong, without a provider's words."""

    code: str
    """A word for programs."""

    detail: str
    """A sentence for people."""


class _OperationView(TypedDict):
    attempt: int
    """How often it was tried."""

    candidates: List[CandidateId]
    """The candidates it made."""

    created_at: str
    """When it was queued."""

    dropped: Dict[str, int]
    """What was dropped, by reason."""

    id: OperationId
    """Ours."""

    sightings: int
    """How often something known was said again."""

    state: str
    """`queued`, `running`, `succeeded`, `failed` or `truncated`; the last three are final."""

    suppressed: int
    """How often something that a person had rejected was said again."""


class OperationView(_OperationView, total=False):
    """An operation, outward."""

    error: Optional[OperationError]
    """What went wrong last."""

    extractor: Optional[Provenance]
    """What read the messages."""

    finished_at: Optional[str]
    """When it ended."""

    next_at: Optional[str]
    """When it is tried next."""

    retried_by: Optional[OperationId]
    """The operation that tried it again."""

    skipped: Optional[str]
    """Why nothing was done."""

    tokens_in: Optional[int]
    """Tokens that the extractor read; `None` where it counts none."""

    tokens_out: Optional[int]
    """Tokens that it wrote."""


class Part(TypedDict):
    """A stretch of text and what happened to it."""

    change: Change
    """What happened."""

    text: str
    """The text; never empty."""


class _ProblemDocument(TypedDict):
    code: str
    """The problem's word, for a program."""

    detail: str
    """This occurrence, for a person."""

    request_id: str
    """Names this request in the log."""

    status: int
    """The HTTP status."""

    title: str
    """The problem in a few words; the same for every occurrence."""

    type: str
    """Where this problem is described."""


class ProblemDocument(_ProblemDocument, total=False):
    """The document, as it is written and described."""

    candidate: Optional[str]
    """The candidate that would clear the way (`memory_limit`): it proposes to retire the memory worth least."""

    current: Any
    """How the thing stands now, where a decision met another one."""

    errors: List[ProblemField]
    """What is wrong where in the body."""

    memory: Optional[str]
    """The memory that stands in the way (`slot_taken`)."""


class ProblemField(TypedDict):
    code: str
    detail: str
    pointer: str
    """JSON pointer (RFC 6901) into the body; empty: the whole."""


class _ProfileView(TypedDict):
    profiles: Dict[str, Dict[str, Any]]
    """What is approved, by schema and field."""


class ProfileView(_ProfileView, total=False):
    """The profiles of a user: schema, then field, then value. A schema without a filled field is there, empty."""

    reason: Optional[str]
    """Why an agent is told nothing: `serving_off`, `opted_out`."""


class ProposeAnswerProposed(TypedDict):
    """It waits."""

    candidate: CandidateView
    """The candidate."""

    outcome: Literal["proposed"]


class _ProposeAnswerSeenAgain(TypedDict):
    outcome: Literal["seen_again"]


class ProposeAnswerSeenAgain(_ProposeAnswerSeenAgain, total=False):
    """The same waits or is stored already."""

    candidate: Optional[CandidateId]
    """The waiting candidate."""

    memory: Optional[MemoryId]
    """The memory."""


class ProposeAnswerSkipped(TypedDict):
    """Nothing was stored (A1)."""

    outcome: Literal["skipped"]
    skipped: str
    """Why: `memory_off`, `opted_out`, `shared_id`."""


class ProposeAnswerSuppressed(TypedDict):
    """A person rejected the same within the last 90 days (F4)."""

    candidate: CandidateId
    """What was rejected."""

    outcome: Literal["suppressed"]


class _Provenance(TypedDict):
    name: str
    """`builtin`, or the provider."""

    version: str
    """Its version."""


class Provenance(_Provenance, total=False):
    """What made a draft (C8): shown to every reviewer."""

    model: Optional[str]
    """The model."""

    prompt_version: Optional[str]
    """The version of the prompt."""

    schema_version: Optional[str]
    """The version of the answer's schema."""


class _Recalled(TypedDict):
    at: str
    """When."""

    by: By
    """By whom."""


class Recalled(_Recalled, total=False):
    """That a memory was recalled."""

    reason: Optional[str]
    """Why."""


class _RejectPost(TypedDict):
    reason: Reason
    """`expired` and `superseded` are the system's own."""


class RejectPost(_RejectPost, total=False):
    """Why not."""

    note: Optional[str]
    """More, for the history."""


class _RevisionView(TypedDict):
    action: RevisionAction
    """What made it."""

    at: str
    """When."""

    content: str
    """The statement."""

    evidence: List[Evidence]
    """The words that support it."""

    importance: float
    """The importance."""

    kind: str
    """The kind it had."""

    metadata: Dict[str, Any]
    """The metadata."""

    revision: int
    """Its number, from 1."""


class RevisionView(_RevisionView, total=False):
    """A version of a memory, outward. An agent's key sees what was approved: not what was proposed, extracted and explained, nor the
    note and who."""

    before: Optional[str]
    """The statement before."""

    by: Optional[By]
    """Who made it."""

    candidate: Optional[CandidateId]
    """The candidate it came from."""

    expires_at: Optional[str]
    """When this revision stops being served."""

    explanation: Optional[str]
    """The extractor's one sentence on why; `null` for an agent's key."""

    extracted: Any
    """Of a profile field what was extracted this time, before it joined what was there."""

    made_by: Optional[Provenance]
    """Which extractor, prompt and schema made it; `null` where it was written by hand."""

    name: Optional[str]
    """The name it had."""

    note: Optional[str]
    """The note."""

    proposed: Optional[str]
    """What the candidate had proposed, where the approver changed it (F3)."""


class _SearchPost(TypedDict):
    query: str
    """Words to look for, in any language."""


class SearchPost(_SearchPost, total=False):
    """What to look for."""

    kinds: Optional[List[str]]
    """Of these kinds; left out: of all."""

    limit: Optional[int]
    """Rows, 1 to 200; left out: 20."""

    scope: Optional[Dict[str, str]]
    """About the user these pairs name; this or `user_id`."""

    user: Optional[UserId]
    """About this user, `usr_…`."""

    user_id: Optional[str]
    """About this user, by the agent's own id of them; this or `scope`."""


class _Told(TypedDict):
    at: str
    """When."""

    revision: int
    """Which revision."""

    serving: ServingId
    """The answer that told it."""


class Told(_Told, total=False):
    """A session that was told a memory."""

    conversation: Optional[str]
    """The agent's own id of the conversation."""


class _Transcript(TypedDict):
    after: int
    """How many come after the last."""

    before: int
    """How many turns come before the first."""

    conversation: ConversationId
    """Ours."""

    turns: List[Turn]
    """The turns, oldest first; where positions jump, turns are left out."""


class Transcript(_Transcript, total=False):
    """A stretch of a conversation."""

    external_id: Optional[str]
    """The agent's own id of it."""

    quotes: List[str]
    """The words themselves, where the turns around them are gone: retention removed the conversation (A14)."""


class Turn(TypedDict):
    """A turn of a transcript."""

    at: str
    """When."""

    content: str
    """What was said; secrets masked one for one, so that marks stay."""

    marks: List[Mark]
    """The words that support candidates."""

    message: MessageId
    """The message."""

    position: int
    """From 1."""

    role: Role
    """Who speaks."""

    source: Source
    """Who made the words."""


class _ValueChange(TypedDict):
    value: ValueName
    """Which."""


class ValueChange(_ValueChange, total=False):
    """A value that a change alters."""

    after: Any
    """What takes its place; `null`: nothing."""

    before: Any
    """What is stored; `null`: nothing."""

    key: Optional[str]
    """Which of the metadata."""


class _Was(TypedDict):
    content: str
    """The statement then."""

    importance: float
    """How much it mattered then."""

    kind: str
    """Its kind then."""

    metadata: Dict[str, Any]
    """Its metadata then."""

    revision: int
    """The revision."""

    tags: List[str]
    """Its tags then."""


class Was(_Was, total=False):
    """A memory at the revision a change was proposed against."""

    name: Optional[str]
    """Its name then."""


class AgreedBy(By, total=False):
    """The first of two people who must agree, and to what."""

    at: Optional[str]
    """When; of what is decided the history tells it."""

    edit: Optional[Edit]
    """What they change of the proposal."""

    merge_into: Optional[MemoryId]
    """The memory that takes the statement in."""

    note: Optional[str]
    """Their note."""


class _CandidateDetail(CandidateView):
    absorbed_memories: List[MemoryView]
    """The memories a merge would retire."""

    changes: List[ValueChange]
    """The values beside the statement that an approval as it stands would change, each from what is stored to what would be; empty for a
    create and a retirement."""

    decisions: List[DecisionView]
    """What was decided about it, oldest first."""

    diff: List[Part]
    """From what is stored to what is proposed; empty for a create."""

    supersedes: List[CandidateView]
    """The candidates it took the place of (A3)."""

    told: List[Told]
    """Which sessions were told what it made."""

    transcripts: List[Transcript]
    """The words it rests on, three turns around each."""


class CandidateDetail(_CandidateDetail, total=False):
    """A candidate with everything a decision needs in view."""

    base: Optional[MemoryView]
    """What is stored now."""

    elsewhere: List[MemoryView]
    """What other ids of the person say of the same thing, while it waits (G15)."""

    recalled: Optional[Recalled]
    """That the memory it made or changed was recalled since (G4)."""

    superseded_by: Optional[CandidateId]
    """The candidate that took its place."""

    was: Optional[Was]
    """What was stored when this was proposed, where that has changed since (`target_moved`)."""


class Found(MemoryView):
    """A memory that a search found."""

    score: float
    """How well it fits, 0.0 to 1.0."""


ContextAnswer = Union[ContextAnswerUnchanged, Context]
ProposeAnswer = Union[ProposeAnswerProposed, ProposeAnswerSeenAgain, ProposeAnswerSuppressed, ProposeAnswerSkipped]


class Call(NamedTuple):
    """How something is called."""

    method: str
    path: str
    agent: bool
    """Takes `?agent=`, for keys that name several."""
    once: bool
    """Takes an `Idempotency-Key`."""
    again: bool
    """May be sent again as it is."""


CALLS: Dict[str, Call] = {
    "create_conversation": Call("POST", "/api/v1/conversations", True, True, False),
    "get_operation": Call("GET", "/api/v1/operations/{id}", False, False, True),
    "retry_operation": Call("POST", "/api/v1/operations/{id}/retry", False, True, False),
    "ask_context": Call("POST", "/api/v1/context", True, False, True),
    "report_feedback": Call("POST", "/api/v1/context/feedback", True, False, True),
    "propose_candidate": Call("POST", "/api/v1/candidates", True, True, False),
    "list_memories": Call("GET", "/api/v1/memories", True, False, True),
    "get_memory": Call("GET", "/api/v1/memories/{id}", False, False, True),
    "list_revisions": Call("GET", "/api/v1/memories/{id}/revisions", False, False, True),
    "search_memories": Call("POST", "/api/v1/memories/search", True, False, True),
    "get_profile": Call("GET", "/api/v1/users/{id}/profile", True, False, True),
    "list_candidates": Call("GET", "/api/v1/candidates", True, False, True),
    "get_candidate": Call("GET", "/api/v1/candidates/{id}", False, False, True),
    "decide_candidates": Call("POST", "/api/v1/candidates/decide", False, True, False),
    "approve_candidate": Call("POST", "/api/v1/candidates/{id}/approve", False, True, False),
    "reject_candidate": Call("POST", "/api/v1/candidates/{id}/reject", False, True, False),
}
