// The shapes of the API. Made by clients/generate.py from the OpenAPI document of Keepsake; not to be edited.

export type Action = 'create' | 'update' | 'merge' | 'retire';
export type AgentName = string;
export type CandidateId = string;
export type Cause = 'limit' | 'never_helpful' | 'date_passed' | 'schema_changed' | 'trend' | 'returning' | 'other_id';
export type Change = 'same' | 'removed' | 'added';
export type ConversationId = string;
export type CutFor = 'budget' | 'cap' | 'irrelevant' | 'other_id' | 'grace';
export type DecisionId = string;
export type Flag = 'contradiction' | 'possible_duplicate' | 'third_party' | 'personal_data' | 'special_category' | 'instruction' | 'hidden_characters' | 'bad_number' | 'no_evidence' | 'not_said_by_user' | 'imported' | 'asked_to_forget' | 'target_moved' | 'date_passed' | 'opted_out';
export type ImportId = string;
export type MemoryId = string;
export type MemoryStatus = 'approved' | 'retired';
export type MessageId = string;
export type OperationId = string;
export type Reason = 'not_durable' | 'wrong' | 'third_party' | 'sensitive' | 'duplicate' | 'instruction' | 'other' | 'expired' | 'superseded';
export type RetiredFor = 'deleted' | 'expired' | 'merged' | 'undone' | 'recalled';
export type RevisionAction = 'create' | 'update' | 'merge' | 'restore' | 'retire';
export type Role = 'user' | 'assistant' | 'system' | 'tool';
export type Scope = Record<string, string>;
export type ServingId = string;
export type Source = 'human' | 'agent' | 'automation';
export type Status = 'pending' | 'approved' | 'rejected';
export type StoredFlag = 'contradiction' | 'possible_duplicate' | 'third_party' | 'personal_data' | 'special_category' | 'instruction' | 'hidden_characters' | 'bad_number' | 'no_evidence' | 'not_said_by_user' | 'imported' | 'asked_to_forget';
export type UserId = string;
export type ValueName = 'kind' | 'name' | 'importance' | 'tags' | 'metadata';
export type Why = 'always' | 'relevant' | 'ranked';
export type Word = 'approve' | 'reject' | 'reopen';

/** What was taken. */
export interface Accepted {
  /** How many messages are new. */
  accepted: number;
  /** The conversation; `None` where nothing is stored. */
  conversation?: ConversationId | null;
  /** How many were known. */
  known: number;
  /** What will read it. */
  operation: OperationId;
  /** Why nothing is stored. */
  skipped?: string | null;
  /** Fields that were ignored. */
  warnings: string[];
}

/** What the approver changes; what is left out stays as proposed. */
export interface ApprovePost {
  /** Of a merge, the revisions of the memories to be retired that were seen; left out: those it was proposed against. */
  absorbed_revisions?: Record<string, number>;
  /** Another statement. */
  content?: string | null;
  /** Another importance, 0.0 to 1.0. */
  importance?: number | null;
  /** Another kind. */
  kind?: string | null;
  /** The memory that takes this in. */
  merge_into?: MemoryId | null;
  /** Other metadata. */
  metadata?: Record<string, unknown> | null;
  /** Another name. */
  name?: string | null;
  /** Why, for the history. */
  note?: string | null;
  /** The revision of the memory to be changed that was seen; left out: the one it was proposed against. Naming the revision that retired
   * it brings it back with the new value. */
  target_revision?: number | null;
}

/** Who did something, by name. */
export interface By {
  /** The person's or key's name; of a policy, who switched it on. */
  name?: string | null;
  /** The policy that decided. */
  policy?: string | null;
  /** `person`, `key`, `policy`, `system`. */
  type: string;
}

/** A proposal made by hand; it always waits for a person. */
export interface CandidatePost {
  /** Left out: found by what is stored. */
  action?: Action | null;
  /** How sure the proposer is, 0.0 to 1.0. */
  confidence?: number | null;
  /** The statement, at most 2,000 characters; left out with `retire`, which takes all of it from its target. */
  content?: string | null;
  /** One sentence on why. */
  explanation?: string | null;
  /** How much it matters, 0.0 to 1.0. */
  importance?: number | null;
  /** A kind of the agent, such as `preference`, `fact` or `context`. */
  kind: string;
  /** Metadata that fits the kind's schema. */
  metadata?: Record<string, unknown>;
  /** What identifies the thing within its kind, such as the name of a metric. */
  name?: string | null;
  /** At most five pairs that name the user where one id does not; this or `user_id`. */
  scope?: Record<string, string> | null;
  /** Free tags. */
  tags?: string[];
  /** The memory it is about, `mem_…`; `update` and `retire` need one. */
  target?: MemoryId | null;
  /** Whom it is about, by the agent's own id of them; this or `scope`. At most 256 characters. */
  user_id?: string | null;
}

/** A candidate, outward. */
export interface CandidateView {
  /** The memories a merge would retire. */
  absorbed: MemoryId[];
  /** What it would do. */
  action: Action;
  /** The agent it belongs to. */
  agent: AgentName;
  /** Who agreed to it as the first of two people: while it waits for the second, and beside who decided (G9). */
  agreed_by?: AgreedBy | null;
  /** Why Keepsake itself proposes it; absent where a conversation or somebody's hand did. */
  cause?: Cause | null;
  /** Who has claimed it to decide on it; absent where nobody has. */
  claim?: ClaimView | null;
  /** How sure the extractor is, 0.0 to 1.0. */
  confidence: number;
  /** The statement. */
  content: string;
  /** When it was proposed. */
  created_at: string;
  /** When it was decided. */
  decided_at?: string | null;
  /** By whom. */
  decided_by?: By | null;
  /** The words that support it. */
  evidence: Evidence[];
  /** When it stops waiting. */
  expires_at: string;
  /** The extractor's one sentence on why. */
  explanation?: string | null;
  /** What made it; `None`: a person or an agent, by hand. */
  extractor?: Provenance | null;
  /** Warnings. */
  flags: Flag[];
  /** For whom it waits, where somebody handed it over. */
  handover?: HandoverView | null;
  /** Ours. */
  id: CandidateId;
  /** How much it matters, 0.0 to 1.0. */
  importance: number;
  /** Where it comes from, where that is a file (G13). */
  imported?: ImportedFrom | null;
  /** Its kind. */
  kind: string;
  /** BCP 47 language of the content. */
  language: string;
  /** The memory it made or changed. */
  memory?: MemoryId | null;
  /** Metadata that fits the kind's schema. */
  metadata: Record<string, unknown>;
  /** What identifies the thing within its kind. */
  name?: string | null;
  /** Why it was rejected. */
  reason?: Reason | null;
  /** The pairs that name them, where a plain user id does not. */
  scope?: Scope | null;
  /** `pending` also where its time has passed and the expiry has not run; `reason` is then `expired`. */
  status: Status;
  /** Free tags. */
  tags: string[];
  /** The memory it is about. */
  target?: MemoryId | null;
  /** The revision of that memory it was proposed against. */
  target_revision?: number | null;
  /** Whom it is about, by the agent's own name. */
  user_id?: string | null;
  /** Raised by one with every change of status. */
  version: number;
}

/** A claim, outward. */
export interface ClaimView {
  /** Whose it is. */
  by: By;
  /** When it runs out unless it is renewed. */
  until: string;
}

/** A block for a system prompt, and what it is made of. */
export interface Context {
  /** The text; empty where nothing is served. */
  block: string;
  /** What is not, and why. */
  cut: ContextCut[];
  /** Changes when the block does. */
  etag: string;
  /** What is in it. */
  items: ContextItem[];
  /** In the layout `profile` what the block says, as stored: schema, then field, then value. */
  profiles?: Record<string, unknown> | null;
  /** Why nothing is served at all. */
  reason?: string | null;
  /** The record of it. */
  serving: ServingId;
  /** What it costs, about. */
  tokens: number;
  /** Fields that were ignored. */
  warnings?: string[];
}

/** What the agent has is still true. */
export interface ContextAnswerUnchanged {
  /** The same etag. */
  etag: string;
  /** Always true. */
  unchanged: boolean;
}

/** A memory left out of a block. */
export interface ContextCut {
  /** Which. */
  memory: MemoryId;
  /** Why. */
  why: CutFor;
}

/** A memory in a block. */
export interface ContextItem {
  /** The statement. */
  content: string;
  /** Its kind. */
  kind: string;
  /** Which. */
  memory: MemoryId;
  /** Which revision. */
  revision: number;
  /** When it was said. */
  said_at: string;
  /** Its rank, 0.0 to 1.0. */
  score: number;
  /** Why it is in. */
  why: Why;
}

/** For whom, and for what. Fields that are not known are named in `warnings`. */
export interface ContextPost {
  /** The agent's own id of the conversation it is for. */
  conversation_id?: string | null;
  /** The `etag` of the block the caller has: while it holds, nothing is sent again. */
  if_changed?: string | null;
  /** The form of the block: `by_kind`, `prior_knowledge` or `profile`. Left out: `by_kind`. */
  layout?: string | null;
  /** The most tokens of the block. Left out: 4,000. */
  max_tokens?: number | null;
  /** The size of the caller's model window in tokens: the block takes at most a tenth of it. */
  model_window?: number | null;
  /** What the user wants now, in their own words; ranks what is not always in. */
  query?: string | null;
  /** At most five pairs that name the user where one id does not; this or `user_id`. */
  scope?: Record<string, string> | null;
  /** Who the agent talks to, by its own id of them, the same in every call; this or `scope`. At most 256 characters. */
  user_id?: string | null;
}

/** Messages of one conversation. Fields that are not known are named in `warnings`. */
export interface ConversationPost {
  /** The agent's own id of the conversation. Without one each post is a new conversation. */
  conversation_id?: string | null;
  /** The conversation is over: extract what is left. */
  end?: boolean;
  /** Extract what is left now. */
  flush?: boolean;
  /** At most 500; empty only with `end` or `flush`. */
  messages?: MessagePost[];
  /** The pairs that name the user, at most five; this or `user_id`. */
  scope?: Record<string, string> | null;
  /** IANA name of the zone in which relative dates are meant. */
  time_zone?: string | null;
  /** Who the agent talks to; this or `scope`. At most 256 characters. */
  user_id?: string | null;
}

/** Several decisions. */
export interface DecidePost {
  /** At most 200. */
  decisions: DecisionPost[];
}

/** What came of each, in the order asked. */
export interface Decided {
  results: DecisionResult[];
}

/** One of them. */
export interface DecisionPost {
  /** With `approve` of a merge: the revisions of the memories to be retired that were seen. */
  absorbed_revisions?: Record<string, number>;
  /** With `approve`: another statement. */
  content?: string | null;
  /** What. */
  decision: Word;
  /** On which candidate. */
  id: CandidateId;
  /** With `approve`: another importance. */
  importance?: number | null;
  /** With `approve`: another kind. */
  kind?: string | null;
  /** With `approve`: the memory that takes this in. */
  merge_into?: MemoryId | null;
  /** With `approve`: other metadata. */
  metadata?: Record<string, unknown> | null;
  /** With `approve`: another name. */
  name?: string | null;
  /** For the history. */
  note?: string | null;
  /** With `reject`: why. */
  reason?: Reason | null;
  /** With `approve`: the revision of the memory to be changed that was seen; left out: the one it was proposed against. */
  target_revision?: number | null;
  /** The version that was seen; left out: whichever there is. */
  version?: number | null;
}

/** What came of one of many decisions. */
export interface DecisionResult {
  /** Why it failed, for programs; `agreed` where it is done and waits for the second of two people. */
  code?: string | null;
  /** Why it failed, for people. */
  detail?: string | null;
  /** On which candidate. */
  id: CandidateId;
  /** The memory that was made or changed. */
  memory?: MemoryId | null;
  /** `done` or `failed`. */
  status: string;
}

/** A decision, outward. */
export interface DecisionView {
  /** Who had agreed before, where two people were needed. */
  agreed_by?: By | null;
  /** When. */
  at: string;
  /** By whom. */
  by: By;
  /** `approve`, `reject` or `reopen`. */
  decision: string;
  /** What the approver changed. */
  edit?: Edit | null;
  /** Ours. */
  id: DecisionId;
  /** The note. */
  note?: string | null;
  /** Why, of a rejection. */
  reason?: Reason | null;
}

/** What an approver changed; `None` leaves the proposal's value. */
export interface Edit {
  /** Another content. */
  content?: string | null;
  /** Another importance. */
  importance?: number | null;
  /** Another kind. */
  kind?: string | null;
  /** Other metadata. */
  metadata?: Record<string, unknown> | null;
  /** Another name. */
  name?: string | null;
}

/** Words that support a candidate. */
export interface Evidence {
  /** Where they were said. */
  conversation: ConversationId;
  /** One past the last. */
  end: number;
  /** In which message; `None` where the whole conversation is meant. */
  message?: MessageId | null;
  /** The original slice. */
  quote: string;
  /** First code point of the message, on a grapheme border. */
  start: number;
}

/** Whether a memory that was served helped. Fields that are not known are ignored. */
export interface FeedbackPost {
  /** Whether it helped. */
  helped: boolean;
  /** One of its items' `memory`. */
  memory: MemoryId;
  /** The `serving` of the context. */
  serving: ServingId;
}

/** A hand-over, outward. */
export interface HandoverView {
  /** When. */
  at: string;
  /** Who handed it over. */
  by: By;
  /** What they wrote. */
  note?: string | null;
  /** For whom it waits; `None`: for whoever speaks its language. */
  to?: By | null;
}

/** Where a candidate comes from, where that is a file. */
export interface ImportedFrom {
  /** The import. */
  import: ImportId;
  /** The row, from 1. */
  row: number;
  /** When it was said, by the file. */
  said_at?: string | null;
  /** What it is called where it comes from. */
  source_id?: string | null;
}

/** The parameters of `list_candidates`. */
export interface ListCandidatesQuery {
  /** That would do this. */
  action?: Action;
  /** Of this agent. */
  agent?: AgentName;
  /** Who has claimed a candidate. */
  claim?: 'me' | 'free';
  /** At least this sure, 0.0 to 1.0. */
  confidence_from?: number;
  /** From `next` of the page before. */
  cursor?: string;
  /** Whether only those that expired before anybody decided. */
  expired_unseen?: boolean;
  /** That expire within so many hours, at most 65,535. */
  expiring_within_hours?: number;
  /** With this flag. `target_moved`, `date_passed` and `opted_out` are worked out on reading, and cannot be asked for. */
  flag?: StoredFlag;
  /** That were handed over: to `me`, to whoever speaks their language (`native`), or to this person, `per_…`. */
  handed_to?: string;
  /** Of this kind. */
  kind?: string;
  /** In this language, or in one of several with commas between them. */
  language?: string;
  /** Rows, 1 to 200; left out: 50. */
  limit?: number;
  /** About exactly the user these pairs name, as a JSON object. */
  scope?: string;
  /** `pending` means waiting: not past its time. */
  status?: Status;
  /** With these words. What was decided is not found by its words any more. */
  text?: string;
  /** About this user, `usr_…`. */
  user?: UserId;
  /** About this user, as the agent names them. */
  user_id?: string;
  /** That have waited longer than so many hours, at most 65,535. */
  waiting_longer_than_hours?: number;
}

/** The parameters of `list_memories`. */
export interface ListMemoriesQuery {
  /** Of this agent. */
  agent?: AgentName;
  /** From `next` of the page before. */
  cursor?: string;
  /** Of these kinds, separated by commas. */
  kinds?: string;
  /** Rows, 1 to 200; left out: 50. */
  limit?: number;
  /** About exactly the user these pairs name, as a JSON object. */
  scope?: string;
  /** `retired` is for persons. Left out: `approved`. */
  status?: MemoryStatus;
  /** About this user, `usr_…`. */
  user?: UserId;
  /** About this user, as the agent names them. */
  user_id?: string;
}

/** One page of a list. */
export interface ListedCandidateView {
  /** The rows. */
  data: CandidateView[];
  /** The `cursor` of the next page; null on the last. */
  next?: string | null;
}

/** One page of a list. */
export interface ListedFound {
  /** The rows. */
  data: Found[];
  /** The `cursor` of the next page; null on the last. */
  next?: string | null;
}

/** One page of a list. */
export interface ListedMemoryView {
  /** The rows. */
  data: MemoryView[];
  /** The `cursor` of the next page; null on the last. */
  next?: string | null;
}

/** One page of a list. */
export interface ListedRevisionView {
  /** The rows. */
  data: RevisionView[];
  /** The `cursor` of the next page; null on the last. */
  next?: string | null;
}

/** Words that support a candidate. */
export interface Mark {
  /** Which candidate. */
  candidate?: CandidateId | null;
  /** One past the last. */
  end: number;
  /** First code point. */
  start: number;
}

/** A memory, outward. */
export interface MemoryView {
  /** The agent it belongs to. */
  agent: AgentName;
  /** How sure the extractor was, 0.0 to 1.0. */
  confidence: number;
  /** The statement. */
  content: string;
  /** The conversation it was said in. */
  conversation?: ConversationId | null;
  /** When it was first approved. */
  created_at: string;
  /** When it stops being served. */
  expires_at?: string | null;
  /** Warnings that depend on the day it is read: `date_passed` (G12). */
  flags: Flag[];
  /** Ours. */
  id: MemoryId;
  /** How much it matters, 0.0 to 1.0. */
  importance: number;
  /** Its kind. */
  kind: string;
  /** Which extractor, prompt and schema made its newest value that was extracted; `null` where all of it was written by hand. */
  made_by?: Provenance | null;
  /** Metadata that fits the kind's schema. */
  metadata: Record<string, unknown>;
  /** What identifies the thing within its kind. */
  name?: string | null;
  /** Why not. */
  reason?: RetiredFor | null;
  /** The number of its newest revision. */
  revision: number;
  /** The pairs that name them, where a plain user id does not. */
  scope?: Scope | null;
  /** Whether it is served. */
  status: MemoryStatus;
  /** Free tags. */
  tags: string[];
  /** When its newest revision was made. */
  updated_at: string;
  /** Whom it is about, by the agent's own name. */
  user_id?: string | null;
}

/** A message. */
export interface MessagePost {
  /** When; left out: now. */
  at?: string | null;
  /** What was said, at most 32 KiB. */
  content: string;
  /** The agent's own id of it; sent again, it is known. */
  id?: string | null;
  /** Who speaks. */
  role: Role;
  /** Who made the words, where the role does not say it. Left out: `human`. */
  source?: Source | null;
}

/** What went wrong, without a provider's words. */
export interface OperationError {
  /** A word for programs. */
  code: string;
  /** A sentence for people. */
  detail: string;
}

/** An operation, outward. */
export interface OperationView {
  /** How often it was tried. */
  attempt: number;
  /** The candidates it made. */
  candidates: CandidateId[];
  /** When it was queued. */
  created_at: string;
  /** What was dropped, by reason. */
  dropped: Record<string, number>;
  /** What went wrong last. */
  error?: OperationError | null;
  /** What read the messages. */
  extractor?: Provenance | null;
  /** When it ended. */
  finished_at?: string | null;
  /** Ours. */
  id: OperationId;
  /** When it is tried next. */
  next_at?: string | null;
  /** The operation that tried it again. */
  retried_by?: OperationId | null;
  /** How often something known was said again. */
  sightings: number;
  /** Why nothing was done. */
  skipped?: string | null;
  /** `queued`, `running`, `succeeded`, `failed` or `truncated`; the last three are final. */
  state: string;
  /** How often something that a person had rejected was said again. */
  suppressed: number;
  /** Tokens that the extractor read; `None` where it counts none. */
  tokens_in?: number | null;
  /** Tokens that it wrote. */
  tokens_out?: number | null;
}

/** A stretch of text and what happened to it. */
export interface Part {
  /** What happened. */
  change: Change;
  /** The text; never empty. */
  text: string;
}

/** The document, as it is written and described. */
export interface ProblemDocument {
  /** The candidate that would clear the way (`memory_limit`): it proposes to retire the memory worth least. */
  candidate?: string | null;
  /** The problem's word, for a program. */
  code: string;
  /** How the thing stands now, where a decision met another one. */
  current?: unknown;
  /** This occurrence, for a person. */
  detail: string;
  /** What is wrong where in the body. */
  errors?: ProblemField[];
  /** The memory that stands in the way (`slot_taken`). */
  memory?: string | null;
  /** Names this request in the log. */
  request_id: string;
  /** The HTTP status. */
  status: number;
  /** The problem in a few words; the same for every occurrence. */
  title: string;
  /** Where this problem is described. */
  type: string;
}

export interface ProblemField {
  code: string;
  detail: string;
  /** JSON pointer (RFC 6901) into the body; empty: the whole. */
  pointer: string;
}

/** The profiles of a user: schema, then field, then value. A schema without a filled field is there, empty. */
export interface ProfileView {
  /** What is approved, by schema and field. */
  profiles: Record<string, Record<string, unknown>>;
  /** Why an agent is told nothing: `serving_off`, `opted_out`. */
  reason?: string | null;
}

/** It waits. */
export interface ProposeAnswerProposed {
  /** The candidate. */
  candidate: CandidateView;
  outcome: 'proposed';
}

/** The same waits or is stored already. */
export interface ProposeAnswerSeenAgain {
  /** The waiting candidate. */
  candidate?: CandidateId | null;
  /** The memory. */
  memory?: MemoryId | null;
  outcome: 'seen_again';
}

/** Nothing was stored (A1). */
export interface ProposeAnswerSkipped {
  outcome: 'skipped';
  /** Why: `memory_off`, `opted_out`, `shared_id`. */
  skipped: string;
}

/** A person rejected the same within the last 90 days (F4). */
export interface ProposeAnswerSuppressed {
  /** What was rejected. */
  candidate: CandidateId;
  outcome: 'suppressed';
}

/** What made a draft (C8): shown to every reviewer. */
export interface Provenance {
  /** The model. */
  model?: string | null;
  /** `builtin`, or the provider. */
  name: string;
  /** The version of the prompt. */
  prompt_version?: string | null;
  /** The version of the answer's schema. */
  schema_version?: string | null;
  /** Its version. */
  version: string;
}

/** That a memory was recalled. */
export interface Recalled {
  /** When. */
  at: string;
  /** By whom. */
  by: By;
  /** Why. */
  reason?: string | null;
}

/** Why not. */
export interface RejectPost {
  /** More, for the history. */
  note?: string | null;
  /** `expired` and `superseded` are the system's own. */
  reason: Reason;
}

/** A version of a memory, outward. An agent's key sees what was approved: not what was proposed, extracted and explained, nor the note
 * and who. */
export interface RevisionView {
  /** What made it. */
  action: RevisionAction;
  /** When. */
  at: string;
  /** The statement before. */
  before?: string | null;
  /** Who made it. */
  by?: By | null;
  /** The candidate it came from. */
  candidate?: CandidateId | null;
  /** The statement. */
  content: string;
  /** The words that support it. */
  evidence: Evidence[];
  /** When this revision stops being served. */
  expires_at?: string | null;
  /** The extractor's one sentence on why; `null` for an agent's key. */
  explanation?: string | null;
  /** Of a profile field what was extracted this time, before it joined what was there. */
  extracted?: unknown;
  /** The importance. */
  importance: number;
  /** The kind it had. */
  kind: string;
  /** Which extractor, prompt and schema made it; `null` where it was written by hand. */
  made_by?: Provenance | null;
  /** The metadata. */
  metadata: Record<string, unknown>;
  /** The name it had. */
  name?: string | null;
  /** The note. */
  note?: string | null;
  /** What the candidate had proposed, where the approver changed it (F3). */
  proposed?: string | null;
  /** Its number, from 1. */
  revision: number;
}

/** What to look for. */
export interface SearchPost {
  /** Of these kinds; left out: of all. */
  kinds?: string[] | null;
  /** Rows, 1 to 200; left out: 20. */
  limit?: number | null;
  /** Words to look for, in any language. */
  query: string;
  /** About the user these pairs name; this or `user_id`. */
  scope?: Record<string, string> | null;
  /** About this user, `usr_…`. */
  user?: UserId | null;
  /** About this user, by the agent's own id of them; this or `scope`. */
  user_id?: string | null;
}

/** A session that was told a memory. */
export interface Told {
  /** When. */
  at: string;
  /** The agent's own id of the conversation. */
  conversation?: string | null;
  /** Which revision. */
  revision: number;
  /** The answer that told it. */
  serving: ServingId;
}

/** A stretch of a conversation. */
export interface Transcript {
  /** How many come after the last. */
  after: number;
  /** How many turns come before the first. */
  before: number;
  /** Ours. */
  conversation: ConversationId;
  /** The agent's own id of it. */
  external_id?: string | null;
  /** The words themselves, where the turns around them are gone: retention removed the conversation (A14). */
  quotes?: string[];
  /** The turns, oldest first; where positions jump, turns are left out. */
  turns: Turn[];
}

/** A turn of a transcript. */
export interface Turn {
  /** When. */
  at: string;
  /** What was said; secrets masked one for one, so that marks stay. */
  content: string;
  /** The words that support candidates. */
  marks: Mark[];
  /** The message. */
  message: MessageId;
  /** From 1. */
  position: number;
  /** Who speaks. */
  role: Role;
  /** Who made the words. */
  source: Source;
}

/** A value that a change alters. */
export interface ValueChange {
  /** What takes its place; `null`: nothing. */
  after?: unknown;
  /** What is stored; `null`: nothing. */
  before?: unknown;
  /** Which of the metadata. */
  key?: string | null;
  /** Which. */
  value: ValueName;
}

/** A memory at the revision a change was proposed against. */
export interface Was {
  /** The statement then. */
  content: string;
  /** How much it mattered then. */
  importance: number;
  /** Its kind then. */
  kind: string;
  /** Its metadata then. */
  metadata: Record<string, unknown>;
  /** Its name then. */
  name?: string | null;
  /** The revision. */
  revision: number;
  /** Its tags then. */
  tags: string[];
}

/** The first of two people who must agree, and to what. */
export interface AgreedBy extends By {
  /** When; of what is decided the history tells it. */
  at?: string | null;
  /** What they change of the proposal. */
  edit?: Edit | null;
  /** The memory that takes the statement in. */
  merge_into?: MemoryId | null;
  /** Their note. */
  note?: string | null;
}

/** A candidate with everything a decision needs in view. */
export interface CandidateDetail extends CandidateView {
  /** The memories a merge would retire. */
  absorbed_memories: MemoryView[];
  /** What is stored now. */
  base?: MemoryView | null;
  /** The values beside the statement that an approval as it stands would change, each from what is stored to what would be; empty for a
   * create and a retirement. */
  changes: ValueChange[];
  /** What was decided about it, oldest first. */
  decisions: DecisionView[];
  /** From what is stored to what is proposed; empty for a create. */
  diff: Part[];
  /** What other ids of the person say of the same thing, while it waits (G15). */
  elsewhere?: MemoryView[];
  /** That the memory it made or changed was recalled since (G4). */
  recalled?: Recalled | null;
  /** The candidate that took its place. */
  superseded_by?: CandidateId | null;
  /** The candidates it took the place of (A3). */
  supersedes: CandidateView[];
  /** Which sessions were told what it made. */
  told: Told[];
  /** The words it rests on, three turns around each. */
  transcripts: Transcript[];
  /** What was stored when this was proposed, where that has changed since (`target_moved`). */
  was?: Was | null;
}

/** A memory that a search found. */
export interface Found extends MemoryView {
  /** How well it fits, 0.0 to 1.0. */
  score: number;
}

export type ContextAnswer = ContextAnswerUnchanged | Context;
export type ProposeAnswer = ProposeAnswerProposed | ProposeAnswerSeenAgain | ProposeAnswerSuppressed | ProposeAnswerSkipped;

/** How something is called. */
export interface Call {
  method: string;
  path: string;
  /** Takes `?agent=`, for keys that name several. */
  agent: boolean;
  /** Takes an `Idempotency-Key`. */
  once: boolean;
  /** May be sent again as it is. */
  again: boolean;
}

export const CALLS = {
  create_conversation: { method: 'POST', path: '/api/v1/conversations', agent: true, once: true, again: false },
  get_operation: { method: 'GET', path: '/api/v1/operations/{id}', agent: false, once: false, again: true },
  retry_operation: { method: 'POST', path: '/api/v1/operations/{id}/retry', agent: false, once: true, again: false },
  ask_context: { method: 'POST', path: '/api/v1/context', agent: true, once: false, again: true },
  report_feedback: { method: 'POST', path: '/api/v1/context/feedback', agent: true, once: false, again: true },
  propose_candidate: { method: 'POST', path: '/api/v1/candidates', agent: true, once: true, again: false },
  list_memories: { method: 'GET', path: '/api/v1/memories', agent: true, once: false, again: true },
  get_memory: { method: 'GET', path: '/api/v1/memories/{id}', agent: false, once: false, again: true },
  list_revisions: { method: 'GET', path: '/api/v1/memories/{id}/revisions', agent: false, once: false, again: true },
  search_memories: { method: 'POST', path: '/api/v1/memories/search', agent: true, once: false, again: true },
  get_profile: { method: 'GET', path: '/api/v1/users/{id}/profile', agent: true, once: false, again: true },
  list_candidates: { method: 'GET', path: '/api/v1/candidates', agent: true, once: false, again: true },
  get_candidate: { method: 'GET', path: '/api/v1/candidates/{id}', agent: false, once: false, again: true },
  decide_candidates: { method: 'POST', path: '/api/v1/candidates/decide', agent: false, once: true, again: false },
  approve_candidate: { method: 'POST', path: '/api/v1/candidates/{id}/approve', agent: false, once: true, again: false },
  reject_candidate: { method: 'POST', path: '/api/v1/candidates/{id}/reject', agent: false, once: true, again: false },
} as const satisfies Record<string, Call>;
