// Generated from openapi.json by sdk/generate.ts: npm run openapi writes it anew.

/**
 * Fields of your own: at most 50 texts of up to 500 characters, numbers and booleans. Names have 1 to 50 lower-case
 * letters, digits and `_`, and begin with a letter.
 */
export type CustomFields = Record<string, string | number | boolean>

export interface Contact {
  /** The unique id of the contact. Treat it as opaque. */
  id: string
  /** E.164: a plus, the country code and the number, at most 15 digits. Unique within the workspace. */
  phone_number: string
  first_name: string | null
  last_name: string | null
  display_name: string | null
  /** Stored as sent. Several contacts may have the same email. */
  email: string | null
  company: string | null
  /**
   * The contact's time zone, as an IANA name. Campaigns and agents use it. Without it campaigns use the zones that the
   * number may be in, and agents use the only one that it can be in, or that of the workspace.
   */
  time_zone: string | null
  /** Internal notes. Tabs and line breaks are allowed. */
  notes: string | null
  /** Tags that categorize the contact. Of tags that differ only in case, the first one is kept. */
  tags: string[]
  custom_fields: CustomFields
  /**
   * How the contact was created. `api`: created with the API. `import`: imported from a CSV file. `manual`: created in
   * the dashboard. `inbound`: created by an inbound call or message. `webhook`: received by an integration.
   */
  source: 'api' | 'import' | 'manual' | 'inbound' | 'webhook'
  /**
   * When the contact first wrote, called, answered a call, or was sent a message that the carrier accepted. `null` if
   * never.
   */
  first_contact_at: string | null
  /** The same, for the last time. */
  last_contact_at: string | null
  /** When the contact was created. */
  created_at: string
  /** When the contact was last updated. Every update makes it later. */
  updated_at: string
}

export interface Pagination {
  /** The exact number of items on all pages. */
  total: number
  /** The maximum number of items on a page. */
  limit: number
  /** The number of items before this page. */
  offset: number
  /** Whether there are items after this page. */
  has_more: boolean
  /** Pass this as `cursor` to get the next page. `null` on the last page. */
  next_cursor: string | null
}

export interface NewContact {
  /** E.164: a plus, the country code and the number, at most 15 digits. Unique within the workspace. */
  phone_number: string
  first_name?: string | null
  last_name?: string | null
  display_name?: string | null
  /** Stored as sent. Several contacts may have the same email. */
  email?: string | null
  company?: string | null
  /**
   * The contact's time zone, as an IANA name. Campaigns and agents use it. Without it campaigns use the zones that the
   * number may be in, and agents use the only one that it can be in, or that of the workspace.
   */
  time_zone?: string | null
  /** Internal notes. Tabs and line breaks are allowed. */
  notes?: string | null
  /** Tags that categorize the contact. Of tags that differ only in case, the first one is kept. */
  tags?: string[] | null
  /**
   * Fields of your own: at most 50 texts of up to 500 characters, numbers and booleans. Names have 1 to 50 lower-case
   * letters, digits and `_`, and begin with a letter. `null` removes one. Those that are not sent keep their values.
   */
  custom_fields?: Record<string, string | number | boolean | null> | null
  /**
   * The ids of this contact in external CRM systems, by the name of the system. At most 50, each of 1 to 255 characters.
   * Names have 1 to 50 characters of a-z, 0-9, _ and -. Two contacts can't have the same id in one system. `null` or `""`
   * removes one. Those that are not sent keep their values. Only "Get a contact" returns them.
   */
  crm_ids?: Record<string, string | null> | null
}

export interface ContactCreated {
  /** The unique id of the contact. Treat it as opaque. */
  id: string
  /** E.164: a plus, the country code and the number, at most 15 digits. Unique within the workspace. */
  phone_number: string
  first_name: string | null
  last_name: string | null
  display_name: string | null
  /** Stored as sent. Several contacts may have the same email. */
  email: string | null
  company: string | null
  /**
   * The contact's time zone, as an IANA name. Campaigns and agents use it. Without it campaigns use the zones that the
   * number may be in, and agents use the only one that it can be in, or that of the workspace.
   */
  time_zone: string | null
  /** Internal notes. Tabs and line breaks are allowed. */
  notes: string | null
  /** Tags that categorize the contact. Of tags that differ only in case, the first one is kept. */
  tags: string[]
  custom_fields?: CustomFields
  /**
   * How the contact was created. `api`: created with the API. `import`: imported from a CSV file. `manual`: created in
   * the dashboard. `inbound`: created by an inbound call or message. `webhook`: received by an integration.
   */
  source: 'api' | 'import' | 'manual' | 'inbound' | 'webhook'
  /** When the contact was created. */
  created_at: string
  /** When the contact was last updated. Every update makes it later. */
  updated_at: string
}

export interface ContactWithCrmIds {
  /** The unique id of the contact. Treat it as opaque. */
  id: string
  /** E.164: a plus, the country code and the number, at most 15 digits. Unique within the workspace. */
  phone_number: string
  first_name: string | null
  last_name: string | null
  display_name: string | null
  /** Stored as sent. Several contacts may have the same email. */
  email: string | null
  company: string | null
  /**
   * The contact's time zone, as an IANA name. Campaigns and agents use it. Without it campaigns use the zones that the
   * number may be in, and agents use the only one that it can be in, or that of the workspace.
   */
  time_zone: string | null
  /** Internal notes. Tabs and line breaks are allowed. */
  notes: string | null
  /** Tags that categorize the contact. Of tags that differ only in case, the first one is kept. */
  tags: string[]
  custom_fields: CustomFields
  /**
   * How the contact was created. `api`: created with the API. `import`: imported from a CSV file. `manual`: created in
   * the dashboard. `inbound`: created by an inbound call or message. `webhook`: received by an integration.
   */
  source: 'api' | 'import' | 'manual' | 'inbound' | 'webhook'
  /**
   * When the contact first wrote, called, answered a call, or was sent a message that the carrier accepted. `null` if
   * never.
   */
  first_contact_at: string | null
  /** The same, for the last time. */
  last_contact_at: string | null
  /** When the contact was created. */
  created_at: string
  /** When the contact was last updated. Every update makes it later. */
  updated_at: string
  /** The ids of this contact in external CRM systems, by the name of the system. */
  crm_ids: Record<string, string>
}

export interface ContactChange {
  /** E.164: a plus, the country code and the number, at most 15 digits. Unique within the workspace. */
  phone_number?: string
  first_name?: string | null
  last_name?: string | null
  display_name?: string | null
  /** Stored as sent. Several contacts may have the same email. */
  email?: string | null
  company?: string | null
  /**
   * The contact's time zone, as an IANA name. Campaigns and agents use it. Without it campaigns use the zones that the
   * number may be in, and agents use the only one that it can be in, or that of the workspace.
   */
  time_zone?: string | null
  /** Internal notes. Tabs and line breaks are allowed. */
  notes?: string | null
  /** Tags that categorize the contact. Of tags that differ only in case, the first one is kept. */
  tags?: string[] | null
  /**
   * Fields of your own: at most 50 texts of up to 500 characters, numbers and booleans. Names have 1 to 50 lower-case
   * letters, digits and `_`, and begin with a letter. `null` removes one. Those that are not sent keep their values.
   */
  custom_fields?: Record<string, string | number | boolean | null> | null
  /**
   * The ids of this contact in external CRM systems, by the name of the system. At most 50, each of 1 to 255 characters.
   * Names have 1 to 50 characters of a-z, 0-9, _ and -. Two contacts can't have the same id in one system. `null` or `""`
   * removes one. Those that are not sent keep their values. Only "Get a contact" returns them.
   */
  crm_ids?: Record<string, string | null> | null
}

export interface ContactBatch {
  operations: Array<{
    /**
     * `create`: as "Create a contact". `update`: as "Update a contact", with `id`. `upsert`: as "Create or update a
     * contact", with `phone_number`.
     */
    op: 'create' | 'update' | 'upsert'
    /** The contact to update. */
    id?: string
    /** The phone number to create or update a contact by, in E.164 form. */
    phone_number?: string
    /** The body of the single request. */
    data: Record<string, unknown>
  }>
  /** Whether all operations take effect, or none. `false` if it is not sent. */
  atomic?: boolean
}

export interface ContactBatchResults {
  /** The outcome of each operation. */
  results: Array<{
    /** The position of the operation in the request, starting at 0. */
    index: number
    /** The status that the single request would get. */
    status: number
    data?: {
      /** The unique id of the contact. Treat it as opaque. */
      id?: string
      /** E.164: a plus, the country code and the number, at most 15 digits. Unique within the workspace. */
      phone_number?: string
      first_name?: string | null
      last_name?: string | null
      display_name?: string | null
      /** Stored as sent. Several contacts may have the same email. */
      email?: string | null
      company?: string | null
      /**
       * The contact's time zone, as an IANA name. Campaigns and agents use it. Without it campaigns use the zones that the
       * number may be in, and agents use the only one that it can be in, or that of the workspace.
       */
      time_zone?: string | null
      /** Internal notes. Tabs and line breaks are allowed. */
      notes?: string | null
      /** Tags that categorize the contact. Of tags that differ only in case, the first one is kept. */
      tags?: string[]
      custom_fields?: CustomFields
      /**
       * How the contact was created. `api`: created with the API. `import`: imported from a CSV file. `manual`: created in
       * the dashboard. `inbound`: created by an inbound call or message. `webhook`: received by an integration.
       */
      source?: 'api' | 'import' | 'manual' | 'inbound' | 'webhook'
      /**
       * When the contact first wrote, called, answered a call, or was sent a message that the carrier accepted. `null` if
       * never.
       */
      first_contact_at?: string | null
      /** The same, for the last time. */
      last_contact_at?: string | null
      /** When the contact was created. */
      created_at?: string
      /** When the contact was last updated. Every update makes it later. */
      updated_at?: string
    }
    /** The error that the single request would get. */
    error?: {
      code: string
      message: string
      details: Record<string, unknown>
    }
  }>
}

export interface Deleted {
  deleted: true
}

export interface CrmId {
  /** The id of the contact in the CRM system. */
  id: string
}

export interface Erasure {
  /** The unique id of the erasure. Treat it as opaque. */
  id: string
  /** The contact, which is deleted at the end. */
  contact_id: string
  /** `queued`: it has not begun. `running`: some is erased. `done`: all is, also the files. */
  status: 'queued' | 'running' | 'done'
  /** What was erased so far. */
  counts: {
    /** Conversations that were redacted, also those of calls. */
    conversations: number
    /** Calls that were redacted. */
    calls: number
    /** Text messages in these conversations. */
    messages: number
    /** Events that were reduced to ids. */
    events: number
    /** Files that were removed, such as recordings. */
    files: number
  }
  /** When the erasure was asked for, in real time. */
  created_at: string
  /** When all was erased, in real time. `null` before. */
  ended_at: string | null
}

/**
 * The contact field of each column. Name a column by its name or its index, starting at 0; `null` ignores the column.
 * Other columns are matched by common names, such as "Phone", "Mobile number", "E-Mail", "First Name" or "Vorname".
 * Columns named `custom_fields.NAME` are custom fields.
 */
export type ColumnMapping = Record<string, string | null>

/** The country of numbers without a country code, as two letters such as `US`. */
export type Country = string | null

export interface ImportOptions {
  mapping?: ColumnMapping
  default_country?: Country
  /** If a contact already has the phone number: `skip` the row, or `update` the contact with the values of the row. */
  on_conflict?: 'skip' | 'update'
  /**
   * What the people in the file have agreed to: calls (`voice`), messages (`sms`), or both (`all`). It is recorded for
   * each contact of the file, also for one that a row skips because it exists. Nothing is recorded for what a person has
   * opted out of.
   */
  consent?: 'voice' | 'sms' | 'all' | null
  /**
   * A campaign in which each contact of the file is enrolled, also one that a row skips because it exists. Columns named
   * `variables.NAME` are then the variables of the enrollments. Contacts that are enrolled already keep theirs.
   */
  campaign_id?: string | null
  /** Show what would happen to each row, without writing contacts. */
  is_dry_run?: boolean
  /** A name to show. The default is the name of the uploaded file. */
  file_name?: string | null
}

export interface NewImport {
  /**
   * At most 10000 rows: objects of texts by column name. `tags` are separated by , ; or |. Put a tag that contains one of
   * these in double quotes, and double the quotes inside.
   */
  rows: Array<Record<string, string | null>>
  mapping?: ColumnMapping
  default_country?: Country
  /** If a contact already has the phone number: `skip` the row, or `update` the contact with the values of the row. */
  on_conflict?: 'skip' | 'update'
  /**
   * What the people in the file have agreed to: calls (`voice`), messages (`sms`), or both (`all`). It is recorded for
   * each contact of the file, also for one that a row skips because it exists. Nothing is recorded for what a person has
   * opted out of.
   */
  consent?: 'voice' | 'sms' | 'all' | null
  /**
   * A campaign in which each contact of the file is enrolled, also one that a row skips because it exists. Columns named
   * `variables.NAME` are then the variables of the enrollments. Contacts that are enrolled already keep theirs.
   */
  campaign_id?: string | null
  /** Show what would happen to each row, without writing contacts. */
  is_dry_run?: boolean
  /** A name to show. The default is the name of the uploaded file. */
  file_name?: string | null
}

export interface Import {
  /** The unique id of the import. Treat it as opaque. */
  id: string
  /** `queued`, then `running`, then `finished`, `canceled` or `failed`. An undo changes it to `undoing`, then `undone`. */
  status: 'queued' | 'running' | 'finished' | 'canceled' | 'failed' | 'undoing' | 'undone'
  /** Whether this is a dry run, which writes no contacts. */
  is_dry_run: boolean
  file_name: string | null
  /** If a contact already has the phone number: `skip` the row, or `update` the contact with the values of the row. */
  on_conflict: 'skip' | 'update'
  default_country: string | null
  /**
   * What the people in the file have agreed to: calls (`voice`), messages (`sms`), or both (`all`). It is recorded for
   * each contact of the file, also for one that a row skips because it exists. Nothing is recorded for what a person has
   * opted out of.
   */
  consent: 'voice' | 'sms' | 'all' | null
  /**
   * A campaign in which each contact of the file is enrolled, also one that a row skips because it exists. Columns named
   * `variables.NAME` are then the variables of the enrollments. Contacts that are enrolled already keep theirs.
   */
  campaign_id: string | null
  /** The column names from the first row. */
  columns: string[]
  /**
   * The contact field of each column, or with `campaign_id` the variable, such as `variables.slot`; `null` if the column
   * is ignored.
   */
  mapping: Record<string, string | null>
  /** The number of rows. */
  total: number | null
  /** The number of rows that are processed. */
  done: number
  /** The number of contacts created. */
  created: number
  /** The number of contacts updated. */
  updated: number
  /** The number of rows skipped: an earlier row or a contact has the phone number, or nothing would change. */
  skipped: number
  /** The number of invalid rows. */
  refused: number
  /** The number of contacts that were imported and not enrolled in the campaign. `error` says why. */
  not_enrolled: number
  /** The number of contacts that an undo skipped because they were changed after the import. */
  undo_skipped: number
  /** Why the import failed, or why contacts were not enrolled. */
  error: string | null
  /** When the import was created. */
  created_at: string
  /** When it started to run. */
  started_at: string | null
  /** When it finished, failed or was canceled. */
  finished_at: string | null
  /** When an undo ended. */
  undone_at: string | null
}

export interface ImportRow {
  /** The unique id of the row. */
  id: string
  /** The position in the file, starting at 1. Column names and empty rows are not counted. */
  row_number: number
  /** What happened to the row, or in a dry run what would happen. */
  outcome: 'created' | 'updated' | 'skipped' | 'refused'
  /** Why the row was skipped, refused or not undone. */
  reason: string | null
  contact_id: string | null
  /** The cells by column name, up to 10000 characters in total; the CSV file has all. Empty after the contact is deleted. */
  values: Record<string, string>
}

/**
 * The JSON pointer (RFC 6901) to the value of each contact field. Payloads are refused until `phone_number` is mapped.
 * The value of `tags` may be a list, or a text with commas. A missing, `null` or empty value leaves the field
 * unchanged.
 */
export interface FieldMap {
  phone_number?: string
  first_name?: string
  last_name?: string
  display_name?: string
  email?: string
  company?: string
  time_zone?: string
  notes?: string
  tags?: string
  /** Pointers by the name of the custom field. */
  custom_fields?: Record<string, string>
  /** Pointers by the name of the CRM system. */
  crm_ids?: Record<string, string>
}

export interface Integration {
  /** The unique id of the integration. Treat it as opaque. */
  id: string
  /** A name for people, such as what sends to it. */
  name: string
  /** A disabled integration accepts nothing: its URL returns 409. */
  status: 'active' | 'disabled'
  /**
   * The URL to post JSON to. Anyone who knows it can send. `null` if it was encrypted with another `SECRETS_KEY`: the URL
   * still works, but can no longer be shown.
   */
  url: string | null
  field_map: FieldMap
  default_country: string | null
  /** Whether requests must be signed with the `signing_secret`. */
  is_signed: boolean
  /** When it last received a request; `null` if never, or more than 30 days ago. */
  last_received_at: string | null
  /** When it was created. */
  created_at: string
  /** When it was last changed. */
  updated_at: string
}

/**
 * The JSON pointer (RFC 6901) to the value of each contact field. Payloads are refused until `phone_number` is mapped.
 * The value of `tags` may be a list, or a text with commas. A missing, `null` or empty value leaves the field
 * unchanged.
 */
export interface FieldMapInput {
  phone_number?: string | null
  first_name?: string | null
  last_name?: string | null
  display_name?: string | null
  email?: string | null
  company?: string | null
  time_zone?: string | null
  notes?: string | null
  tags?: string | null
  /** Pointers by the name of the custom field. */
  custom_fields?: Record<string, string | null>
  /** Pointers by the name of the CRM system. */
  crm_ids?: Record<string, string | null>
}

export interface NewIntegration {
  /** A name for people, such as what sends to it. */
  name: string
  field_map?: FieldMapInput
  default_country?: Country
  /**
   * A secret of Standard Webhooks: `whsec_` and 24 to 64 bytes in base64. With it, requests must be signed, and a
   * repeated `webhook-id` has no effect. `null` turns signing off. The secret is never returned.
   */
  signing_secret?: string | null
}

export interface IntegrationChange {
  /** A name for people, such as what sends to it. */
  name?: string
  /** A disabled integration accepts nothing: its URL returns 409. */
  status?: 'active' | 'disabled'
  field_map?: FieldMapInput
  default_country?: Country
  /**
   * A secret of Standard Webhooks: `whsec_` and 24 to 64 bytes in base64. With it, requests must be signed, and a
   * repeated `webhook-id` has no effect. `null` turns signing off. The secret is never returned.
   */
  signing_secret?: string | null
}

export interface Sample {
  /** JSON as the sender would post it. */
  sample: unknown
  field_map?: FieldMapInput
  default_country?: Country
}

export interface DryRun {
  /** What happened to the contact. */
  outcome: 'created' | 'updated' | 'unchanged' | 'refused'
  /** Why the payload was refused. */
  reasons: string[]
  /** The contact that was created, updated or found. */
  contact_id: string | null
  /** The fields that the sample sets; `null` if it is refused. */
  contact: {
    /** E.164: a plus, the country code and the number, at most 15 digits. Unique within the workspace. */
    phone_number?: string
    first_name?: string | null
    last_name?: string | null
    display_name?: string | null
    /** Stored as sent. Several contacts may have the same email. */
    email?: string | null
    company?: string | null
    /**
     * The contact's time zone, as an IANA name. Campaigns and agents use it. Without it campaigns use the zones that the
     * number may be in, and agents use the only one that it can be in, or that of the workspace.
     */
    time_zone?: string | null
    /** Internal notes. Tabs and line breaks are allowed. */
    notes?: string | null
    /** Tags that categorize the contact. Of tags that differ only in case, the first one is kept. */
    tags?: string[] | null
    /**
     * Fields of your own: at most 50 texts of up to 500 characters, numbers and booleans. Names have 1 to 50 lower-case
     * letters, digits and `_`, and begin with a letter. `null` removes one. Those that are not sent keep their values.
     */
    custom_fields?: Record<string, string | number | boolean | null> | null
    crm_ids?: Record<string, string>
  } | null
}

export interface Receipt {
  /** The unique id of the receipt. */
  id: string
  /** What happened to the contact. */
  outcome: 'created' | 'updated' | 'unchanged' | 'refused'
  /** Why the payload was refused. */
  reasons: string[]
  /** The contact that was created, updated or found. */
  contact_id: string | null
  /**
   * The JSON that was received. `null` if it was not valid JSON, larger than 64 kB or not signed correctly, and after the
   * contact is deleted.
   */
  payload: unknown
  /** When it was received. */
  received_at: string
}

export interface Consent {
  /** The unique id of the entry. Treat it as opaque. */
  id: string
  /** The contact. `null` after it was deleted, or when there was none. */
  contact_id: string | null
  /** Calls, messages, or both. */
  kind: 'voice' | 'sms' | 'all'
  /** Whether the person has agreed (`granted`) or opted out (`revoked`). */
  status: 'granted' | 'revoked'
  /**
   * How the consent was given or revoked. `sms_keyword`: by a word such as STOP, or a sentence, by SMS. `voice_request`:
   * in a call. `api`: with an API key, or in words over the API or in a web chat. `import`: with an import. `dashboard`:
   * by a person in the dashboard.
   */
  source: 'sms_keyword' | 'voice_request' | 'api' | 'import' | 'dashboard'
  /** What shows that it happened, such as the id of a message or the name of a form. */
  evidence: Record<string, unknown> | null
  /** When the entry was added. */
  created_at: string
}

export interface NewConsent {
  /** Calls, messages, or both. */
  kind: 'voice' | 'sms' | 'all'
  /** Whether the person has agreed (`granted`) or opted out (`revoked`). */
  status: 'granted' | 'revoked'
  /**
   * What shows that it happened: at most 20 members, with names of up to 40 characters and texts of up to 500. It is kept
   * forever, also after the contact is deleted, so don't put personal data there, such as the phone number or a name.
   */
  evidence?: Record<string, string> | null
}

export interface Verification {
  /** Whether all entries are as they were added. */
  is_valid: boolean
  /** How many entries were checked. The check ends at the first one that is broken. */
  rows: number
  /**
   * The first entry that was changed, or that follows one that was removed. `null` if there is none, also when the last
   * entries were removed.
   */
  first_broken_id: string | null
}

export interface NewSuppression {
  /** The number, in E.164 form. It need not be that of a contact. */
  phone_number: string
  /** Calls, messages, or both. The default is `all`. */
  kind?: 'voice' | 'sms' | 'all'
  /** Why, in your words. */
  reason?: string | null
}

export interface Suppression {
  /** The unique id of the suppression. Treat it as opaque. */
  id: string
  /** The number, in E.164 form. `null` after the person was erased. */
  phone_number: string | null
  /**
   * Whether the person was erased. The suppression then has a keyed hash instead of the number, and still holds, in any
   * spelling of it.
   */
  is_erased: boolean
  /** Calls, messages, or both. */
  kind: 'voice' | 'sms' | 'all'
  /** Why, in your words. */
  reason: string | null
  /** When the suppression was created. */
  created_at: string
}

/** The version in use. `instructions` are those of this version. */
export interface DeployedVersion {
  /** The id of the version. */
  id: string
  version_label: string
}

export interface VersionReference {
  /** The id of the version. */
  id: string
  version_label: string
}

/** A version that is tried with `percent` of the counterparts, beside the deployed one. */
export type AgentCandidate = {
  version: VersionReference
  percent: number
} | null

export interface Agent {
  /** The unique id of the agent. Treat it as opaque. */
  id: string
  name: string
  /** What the agent is for. `""` if not set. */
  description: string
  /** The instructions that the agent follows. */
  instructions: string | null
  deployed_version: DeployedVersion
  candidate: AgentCandidate
  /** Whether the draft differs from all of the agent's versions. */
  has_unpublished_changes: boolean
  /**
   * `tests`: a version can only be deployed when all tests that are enabled have passed on it. Only owners may change it,
   * and API keys that list the scope `agents:force`.
   */
  deploy_requires: 'none' | 'tests'
  /**
   * `false` while the deployed version has neither a script nor a model that can be asked: a model whose provider exists,
   * and holds an API key or needs none. The model itself is not asked.
   */
  can_answer: boolean
  /** Why the agent can't answer, as a sentence. `null` if it can. */
  cannot_answer_reason: string | null
  /** When the agent was created. */
  created_at: string
  /** When the agent was last updated. */
  updated_at: string
}

/** The model that the agent uses. `null`: the workspace's default provider. Can't be used together with `script`. */
export type AgentModel = {
  /** The name of a provider. */
  provider: string
  /** The provider's name for the model. */
  name: string
  temperature?: number | null
} | null

/** The model to ask when `model` fails. Can't be used together with `script`. */
export type AgentFallbackModel = {
  /** The name of a provider. */
  provider: string
  /** The provider's name for the model. */
  name: string
  temperature?: number | null
} | null

/** A script that the agent follows instead of asking a model: see "Scripts" in the guide. At most 256 kB. */
export type Script = {
  /** The name of the first node. */
  start: string
  /** At most 500 nodes, by name. */
  nodes: Record<
    string,
    {
      /** What the agent says. `{{contact.first_name|there}}` is replaced with a value, or with the default after `|`. */
      say?: string
      /** What the contact may answer. */
      on?: Array<{
        /** Phrases, of which one must be heard. */
        hear?: string[]
        /** A built-in list of phrases. */
        intent?: 'yes' | 'no' | 'repeat' | 'human' | 'stop' | 'wrong_person' | 'busy' | 'goodbye'
        /** A value that must be heard. It becomes the variable of that name. */
        slot?: 'digits' | 'date' | 'time' | 'phone' | 'name' | 'email'
        /** What the agent says. `{{contact.first_name|there}}` is replaced with a value, or with the default after `|`. */
        say?: string
        /** The name of the next node, or `@end` or `@hand_over`. */
        go: string
      }>
      /** When the contact says nothing. Without `go` the agent keeps waiting. */
      silence?: {
        /** What the agent says. `{{contact.first_name|there}}` is replaced with a value, or with the default after `|`. */
        say?: string
        /** The name of the next node, or `@end` or `@hand_over`. */
        go?: string
      }
      /** When nothing of `on` is heard. Without it the agent repeats `say`. */
      else?: {
        /** What the agent says. `{{contact.first_name|there}}` is replaced with a value, or with the default after `|`. */
        say?: string
        /** The name of the next node, or `@end` or `@hand_over`. */
        go?: string
      }
      /** The name of the next node, or `@end` or `@hand_over`. */
      go?: string
      /**
       * Whether what nothing of `on` hears is looked up in the documents of the agent. If they answer it, their sentences are
       * said word for word, and the agent stays at the node. If not, `else` follows, which is required.
       */
      answer_from_knowledge?: boolean
      /** In calls: the digits to press after `say`, of 0 to 9, `*` and `#`. */
      press?: string
      /** In calls: whether the contact can't interrupt `say`, and all that is said with it. */
      is_uninterruptible?: boolean
      /** The name of the tool to call. */
      tool?: string
      /** The tool's arguments. Placeholders in texts are replaced. */
      with?: Record<string, unknown>
      /** Where to go if the tool succeeds. */
      ok?: string
      /** Where to go if the tool fails. */
      failed?: string
    }
  >
} | null

export interface AgentResult {
  name: string
  type: 'text' | 'number' | 'boolean' | 'date'
  description?: string | null
}

/**
 * The documents that the agent can look up: all with one of the `tags`, or those with these `document_ids`. `null`:
 * none. See "Knowledge" in the guide.
 */
export type AgentKnowledge = {
  tags?: string[]
  document_ids?: string[]
} | null

export interface AgentTransfer {
  /** What the agent calls it. */
  name: string
  /** The number to transfer to, in E.164 form. */
  phone_number: string
}

/**
 * What the agent hears and speaks with in calls on real lines: see "Speech" in the guide. `null` for either: offline
 * speech, with `voice`. Replaced as a whole.
 */
export interface AgentSpeech {
  /** What the agent hears with: a provider of the kind `openai_compatible`, `elevenlabs` or `deepgram`. */
  listen?: {
    /** The name of a provider. */
    provider: string
    /** The provider's name for a model that hears. `null`: its default. */
    model?: string | null
    /** What the contact speaks, as a BCP 47 tag. `null`: the agent's `language`. */
    language?: string | null
  } | null
  /** What the agent speaks with, as `listen`. */
  speak?: {
    /** The name of a provider. */
    provider: string
    /** The provider's name for a model that speaks. `null`: its default. */
    model?: string | null
    /** The provider's name or id for a voice. `null`: its default. */
    voice?: string | null
    /** 1 is the usual speed. A provider with a smaller range gets the nearest that it has. */
    speed?: number | null
  } | null
}

/**
 * How models are asked: `model`, `fallback_model` and the default provider. Members that are null are not sent. See
 * "Models" in the guide. Can't be used together with `script`. Members that are left out keep their values.
 */
export interface AgentModelSettingsChange {
  /** How much answers vary. A `temperature` of `model` or `fallback_model` comes first. */
  temperature?: number | null
  /** The longest answer of the model, in tokens, without what it thinks. */
  max_tokens?: number | null
  /** The model chooses from the most probable words, up to this sum of their probabilities. */
  top_p?: number | null
  /** How much the model thinks before it answers. */
  reasoning_effort?: 'minimal' | 'low' | 'medium' | 'high' | null
  /** The answer ends before one of these texts. */
  stop?: string[] | null
}

/** Members that are left out keep their values. */
export interface AgentHandOverChange {
  /** Whether the agent may hand over to a person. */
  is_allowed?: boolean
  /** Whether to hand over when no model answers. */
  on_failure?: boolean
  /** What the agent says when it hands over. */
  message?: string | null
}

/** Members that are left out keep their values. */
export interface AgentRecordingChange {
  /** Whether calls are recorded. Calls by telephone and in the browser also need a `notice`. */
  is_on?: boolean
  /** What the agent says about the recording at the start of a call. */
  notice?: string | null
}

/** Each but `call_seconds_max` is at most its default. Members that are left out keep their values. */
export interface AgentLimitsChange {
  /** Turns of a text conversation. */
  turns_max?: number
  /** Tokens of a conversation. */
  tokens_max?: number
  /** Characters of a reply. */
  reply_characters_max?: number
  /** A conversation without a message for this long is closed. */
  idle_seconds?: number
  /** How long a tool may take. A tool's own `timeout_ms` applies if it is shorter. */
  tool_timeout_ms?: number
  /** Seconds from the answer of a call to its end. Unlike the other limits it can be higher than its default: up to 7,200. */
  call_seconds_max?: number
}

/** The configuration. Fields that are not sent keep their values. Other configuration fields are ignored. */
export interface AgentConfigurationChange {
  /** The instructions that the agent follows. */
  instructions?: string | null
  /** The first words of the agent. */
  greeting?: string | null
  /** The language that the agent speaks, as a BCP 47 tag. `en` by default. */
  language?: string
  model?: AgentModel
  fallback_model?: AgentFallbackModel
  script?: Script
  /**
   * The names of the workspace's tools that the agent may use, with those that its script calls. A tool of kind `mcp` is
   * a server: name its tools, such as `crm__search`. Built-in tools need not be named.
   */
  tools?: string[]
  /** The facts that the agent collects in a conversation. */
  results?: AgentResult[]
  /** The contact fields that the agent may update. Name a custom field as `custom_fields.plan`. */
  contact_fields?: string[]
  knowledge?: AgentKnowledge
  /** What the agent says to a voicemail, after its beep. `null`: it hangs up. */
  voicemail_message?: string | null
  /**
   * The voice of the agent in recordings of simulated calls, and where `speech.speak` is `null`. `null`: the default
   * voice.
   */
  voice?: 'awb' | 'kal' | 'kal16' | 'rms' | 'slt' | null
  /** Where the agent may transfer calls to, by the tool `transfer`. Each has another name. */
  transfers?: AgentTransfer[]
  /**
   * Who presses this key alone, in a call that the agent has made, opts out of all calls and messages. `9` by default. A
   * step of a script that waits for digits takes it as a digit. `null`: no key does.
   */
  opt_out_key?: '0' | '1' | '2' | '3' | '4' | '5' | '6' | '7' | '8' | '9' | '*' | '#' | null
  /**
   * Whether the agent names `opt_out_key` at the start of the calls that it makes. It always does where the language that
   * it speaks is not understood: offline speech knows English only. `false` by default.
   */
  opt_out_notice?: boolean
  speech?: AgentSpeech
  model_settings?: AgentModelSettingsChange
  hand_over?: AgentHandOverChange
  recording?: AgentRecordingChange
  limits?: AgentLimitsChange
}

export interface NewAgent {
  name: string
  description?: string | null
  /** The instructions that the agent follows. */
  instructions?: string | null
  /** The first words of the agent. */
  greeting?: string | null
  /** The language that the agent speaks, as a BCP 47 tag. `en` by default. */
  language?: string
  model?: AgentModel
  fallback_model?: AgentFallbackModel
  script?: Script
  /**
   * The names of the workspace's tools that the agent may use, with those that its script calls. A tool of kind `mcp` is
   * a server: name its tools, such as `crm__search`. Built-in tools need not be named.
   */
  tools?: string[]
  /** The facts that the agent collects in a conversation. */
  results?: AgentResult[]
  /** The contact fields that the agent may update. Name a custom field as `custom_fields.plan`. */
  contact_fields?: string[]
  knowledge?: AgentKnowledge
  /** What the agent says to a voicemail, after its beep. `null`: it hangs up. */
  voicemail_message?: string | null
  /**
   * The voice of the agent in recordings of simulated calls, and where `speech.speak` is `null`. `null`: the default
   * voice.
   */
  voice?: 'awb' | 'kal' | 'kal16' | 'rms' | 'slt' | null
  /** Where the agent may transfer calls to, by the tool `transfer`. Each has another name. */
  transfers?: AgentTransfer[]
  /**
   * Who presses this key alone, in a call that the agent has made, opts out of all calls and messages. `9` by default. A
   * step of a script that waits for digits takes it as a digit. `null`: no key does.
   */
  opt_out_key?: '0' | '1' | '2' | '3' | '4' | '5' | '6' | '7' | '8' | '9' | '*' | '#' | null
  /**
   * Whether the agent names `opt_out_key` at the start of the calls that it makes. It always does where the language that
   * it speaks is not understood: offline speech knows English only. `false` by default.
   */
  opt_out_notice?: boolean
  speech?: AgentSpeech
  model_settings?: AgentModelSettingsChange
  hand_over?: AgentHandOverChange
  recording?: AgentRecordingChange
  limits?: AgentLimitsChange
  draft?: AgentConfigurationChange
}

export interface AgentConfiguration {
  /** The instructions that the agent follows. */
  instructions: string | null
  /** The first words of the agent. */
  greeting: string | null
  /** The language that the agent speaks, as a BCP 47 tag. `en` by default. */
  language: string
  model: AgentModel
  fallback_model: AgentFallbackModel
  script: Script
  /**
   * The names of the workspace's tools that the agent may use, with those that its script calls. A tool of kind `mcp` is
   * a server: name its tools, such as `crm__search`. Built-in tools need not be named.
   */
  tools: string[]
  /** The facts that the agent collects in a conversation. */
  results: AgentResult[]
  /** The contact fields that the agent may update. Name a custom field as `custom_fields.plan`. */
  contact_fields: string[]
  knowledge: AgentKnowledge
  /** What the agent says to a voicemail, after its beep. `null`: it hangs up. */
  voicemail_message: string | null
  /**
   * The voice of the agent in recordings of simulated calls, and where `speech.speak` is `null`. `null`: the default
   * voice.
   */
  voice: 'awb' | 'kal' | 'kal16' | 'rms' | 'slt' | null
  /** Where the agent may transfer calls to, by the tool `transfer`. Each has another name. */
  transfers: AgentTransfer[]
  /**
   * Who presses this key alone, in a call that the agent has made, opts out of all calls and messages. `9` by default. A
   * step of a script that waits for digits takes it as a digit. `null`: no key does.
   */
  opt_out_key: '0' | '1' | '2' | '3' | '4' | '5' | '6' | '7' | '8' | '9' | '*' | '#' | null
  /**
   * Whether the agent names `opt_out_key` at the start of the calls that it makes. It always does where the language that
   * it speaks is not understood: offline speech knows English only. `false` by default.
   */
  opt_out_notice: boolean
  speech: AgentSpeech
  /**
   * How models are asked: `model`, `fallback_model` and the default provider. Members that are null are not sent. See
   * "Models" in the guide. Can't be used together with `script`.
   */
  model_settings: {
    /** How much answers vary. A `temperature` of `model` or `fallback_model` comes first. */
    temperature: number | null
    /** The longest answer of the model, in tokens, without what it thinks. */
    max_tokens: number | null
    /** The model chooses from the most probable words, up to this sum of their probabilities. */
    top_p: number | null
    /** How much the model thinks before it answers. */
    reasoning_effort: 'minimal' | 'low' | 'medium' | 'high' | null
    /** The answer ends before one of these texts. */
    stop: string[] | null
  }
  hand_over: {
    /** Whether the agent may hand over to a person. */
    is_allowed: boolean
    /** Whether to hand over when no model answers. */
    on_failure: boolean
    /** What the agent says when it hands over. */
    message: string | null
  }
  recording: {
    /** Whether calls are recorded. Calls by telephone and in the browser also need a `notice`. */
    is_on: boolean
    /** What the agent says about the recording at the start of a call. */
    notice: string | null
  }
  /** Each but `call_seconds_max` is at most its default. */
  limits: {
    /** Turns of a text conversation. */
    turns_max: number
    /** Tokens of a conversation. */
    tokens_max: number
    /** Characters of a reply. */
    reply_characters_max: number
    /** A conversation without a message for this long is closed. */
    idle_seconds: number
    /** How long a tool may take. A tool's own `timeout_ms` applies if it is shorter. */
    tool_timeout_ms: number
    /** Seconds from the answer of a call to its end. Unlike the other limits it can be higher than its default: up to 7,200. */
    call_seconds_max: number
  }
}

export interface AgentWithDraft {
  /** The unique id of the agent. Treat it as opaque. */
  id: string
  name: string
  /** What the agent is for. `""` if not set. */
  description: string
  /** The instructions that the agent follows. */
  instructions: string | null
  deployed_version: DeployedVersion
  candidate: AgentCandidate
  /** Whether the draft differs from all of the agent's versions. */
  has_unpublished_changes: boolean
  /**
   * `tests`: a version can only be deployed when all tests that are enabled have passed on it. Only owners may change it,
   * and API keys that list the scope `agents:force`.
   */
  deploy_requires: 'none' | 'tests'
  /**
   * `false` while the deployed version has neither a script nor a model that can be asked: a model whose provider exists,
   * and holds an API key or needs none. The model itself is not asked.
   */
  can_answer: boolean
  /** Why the agent can't answer, as a sentence. `null` if it can. */
  cannot_answer_reason: string | null
  /** When the agent was created. */
  created_at: string
  /** When the agent was last updated. */
  updated_at: string
  draft: AgentConfiguration
}

export interface AgentChange {
  name?: string
  /**
   * `tests`: a version can only be deployed when all tests that are enabled have passed on it. Only owners may change it,
   * and API keys that list the scope `agents:force`.
   */
  deploy_requires?: 'none' | 'tests'
  description?: string | null
  /** The instructions that the agent follows. */
  instructions?: string | null
  /** The first words of the agent. */
  greeting?: string | null
  /** The language that the agent speaks, as a BCP 47 tag. `en` by default. */
  language?: string
  model?: AgentModel
  fallback_model?: AgentFallbackModel
  script?: Script
  /**
   * The names of the workspace's tools that the agent may use, with those that its script calls. A tool of kind `mcp` is
   * a server: name its tools, such as `crm__search`. Built-in tools need not be named.
   */
  tools?: string[]
  /** The facts that the agent collects in a conversation. */
  results?: AgentResult[]
  /** The contact fields that the agent may update. Name a custom field as `custom_fields.plan`. */
  contact_fields?: string[]
  knowledge?: AgentKnowledge
  /** What the agent says to a voicemail, after its beep. `null`: it hangs up. */
  voicemail_message?: string | null
  /**
   * The voice of the agent in recordings of simulated calls, and where `speech.speak` is `null`. `null`: the default
   * voice.
   */
  voice?: 'awb' | 'kal' | 'kal16' | 'rms' | 'slt' | null
  /** Where the agent may transfer calls to, by the tool `transfer`. Each has another name. */
  transfers?: AgentTransfer[]
  /**
   * Who presses this key alone, in a call that the agent has made, opts out of all calls and messages. `9` by default. A
   * step of a script that waits for digits takes it as a digit. `null`: no key does.
   */
  opt_out_key?: '0' | '1' | '2' | '3' | '4' | '5' | '6' | '7' | '8' | '9' | '*' | '#' | null
  /**
   * Whether the agent names `opt_out_key` at the start of the calls that it makes. It always does where the language that
   * it speaks is not understood: offline speech knows English only. `false` by default.
   */
  opt_out_notice?: boolean
  speech?: AgentSpeech
  model_settings?: AgentModelSettingsChange
  hand_over?: AgentHandOverChange
  recording?: AgentRecordingChange
  limits?: AgentLimitsChange
  draft?: AgentConfigurationChange
}

/** Who did it. `null` if it was not recorded. */
export type VersionAuthor = {
  kind: 'api_key' | 'person' | 'command'
  /** The id of the API key or person; `null` for the command line. */
  id: string | null
  /** The current name of the person or API key. `null` for the command line, and if they no longer exist. */
  name: string | null
} | null

export interface AgentVersion {
  /** The unique id of the version. Treat it as opaque. */
  id: string
  version_label: string
  /** The instructions that the agent follows. */
  instructions: string | null
  note: string | null
  created_by: VersionAuthor
  /** When the version was created. */
  created_at: string
}

export interface NewAgentVersion {
  /** What is new in this version. */
  note?: string | null
  /** Also deploys the version. */
  deploy?: boolean
  /**
   * Deploys although tests are required and have not passed. Only for owners, and API keys that list the scope
   * `agents:force`.
   */
  force?: boolean
}

export interface AgentVersionWithConfiguration {
  /** The unique id of the version. Treat it as opaque. */
  id: string
  version_label: string
  /** The instructions that the agent follows. */
  instructions: string | null
  note: string | null
  created_by: VersionAuthor
  /** When the version was created. */
  created_at: string
  configuration: AgentConfiguration
  /**
   * The tools of servers that `configuration.tools` names, as they were when the version was published. A tool that has
   * changed since is not called.
   */
  mcp_tools: Array<{
    /** The name by which agents use it. */
    name: string
    /** The server's name for it. */
    server_name: string
    /** What the server says about it. */
    description: string | null
    /** The JSON Schema of its arguments, as the server gives it. */
    parameters: Record<string, unknown>
  }>
}

export interface DifferenceSide {
  /** `null` for the draft. */
  id: string | null
  /** `draft` for the draft. */
  version_label: string
}

export interface AgentDifference {
  from: DifferenceSide
  to: DifferenceSide
  /** The fields that differ, without the instructions and the nodes of the script. */
  fields: Array<{
    path: string
    /** Any JSON value. */
    before: unknown
    /** Any JSON value. */
    after: unknown
  }>
  /**
   * All lines of both sides, in order. Empty if the instructions are the same. If more than 150 lines differ, all lines
   * count as changed.
   */
  instructions: Array<{
    change: 'same' | 'added' | 'removed'
    /** Whole lines. */
    text: string
  }>
  /** The nodes of the script that differ. */
  script: Array<{
    node: string
    change: 'added' | 'removed' | 'changed'
    /** Any JSON value. */
    before: unknown
    /** Any JSON value. */
    after: unknown
  }>
}

export interface NewDeployment {
  /** The version to deploy. */
  version_id: string
  /** Below 100 the version becomes the candidate beside the deployed version. */
  percent: number
  /**
   * Deploys although tests are required and have not passed. Only for owners, and API keys that list the scope
   * `agents:force`.
   */
  force?: boolean
}

export interface Deployment {
  /** The unique id of the deployment. Treat it as opaque. */
  id: string
  version: VersionReference
  /** Below 100 the version became the candidate. */
  percent: number
  /** It was deployed although tests were required and had not passed. */
  is_forced: boolean
  created_by: VersionAuthor
  /** When it was deployed. */
  created_at: string
}

export interface TestTurn {
  role: 'contact' | 'agent'
  /** What was said. */
  text: string
}

/** The expectation that does not hold. `null` if something else has failed, such as a tool without an answer. */
export type TestExpectation = {
  /**
   * `says`, `never_says`: the agent says one of `any_of`. `calls_tool`, `never_calls_tool`: it calls `tool`. `result`: it
   * has collected the result `name`. `ends`: how it ended. `at_most`: limits. `cites`: an answer is based on the document
   * `document_id`. `judge`: a model answers yes to `question`, which is not repeatable.
   */
  type: 'says' | 'never_says' | 'calls_tool' | 'never_calls_tool' | 'result' | 'ends' | 'at_most' | 'cites' | 'judge'
  /**
   * For `says` and `never_says`. A phrase matches when all of its words are said in one turn, in any order: case,
   * accents, number words and small typos make no difference. A pattern is written `/nine|9/`, and ignores case.
   */
  any_of?: string[]
  /** The name of the tool. */
  tool?: string
  /** A part of the arguments of the call: objects may have more members. `{"$any": true}` stands for any value. */
  arguments?: Record<string, unknown>
  /** How often the tool is called. By default at least once. */
  times?: number
  /** The name of the result. */
  name?: string
  /** The value of the result. `null`: it was not collected. */
  equals?: string | number | boolean | null
  /** For `ends`: how it ended. */
  how?: 'agent_ended' | 'handed_over' | 'transferred' | 'opted_out' | 'limit'
  /** For `ends`, in voice: why the call ended. */
  end_reason?: string
  /** For `at_most`: turns of the agent. */
  turns?: number
  /** For `at_most`: tokens, read and written. */
  tokens?: number
  /** For `at_most`: what it costs at the workspace's prices, in millionths. */
  cost_micros?: number
  /** For `at_most`, in voice: the slowest answer. */
  latency_ms?: number
  /** For `cites`: the document. */
  document_id?: string
  /** For `judge`. */
  question?: string
} | null

export interface TestStep {
  /** What the contact says. */
  says: string
  /** What holds for the agent's answer to this line. */
  expect?: TestExpectation[]
}

export type TestPerson = {
  /** One of the simulated people: see "Calls" in the guide. */
  number: string
  /** Decides what the person says and when. 1 by default. */
  seed?: number
} | null

export type TestPersona = {
  /** What the person wants. */
  goal: string
  /** What the person knows. */
  facts?: string | null
  /** How the person talks. */
  style?: string | null
} | null

/**
 * Values that the agent may use: at most 50, with names of up to 40 lower-case letters, digits and `_`, and texts of up
 * to 1,000 characters. The names `__proto__`, `constructor` and `prototype` are reserved.
 */
export type Variables = Record<string, unknown>

export interface TestToolAnswer {
  tool: string
  /** Answers only calls whose arguments have this, as in an expectation. */
  arguments?: Record<string, unknown>
  /** What the tool answers. */
  result?: unknown
  /** The tool fails with this instead. */
  error?: string
  /** Answers one call only. By default it answers any number. */
  once?: boolean
}

export interface AgentTest {
  /** The unique id of the test. Treat it as opaque. */
  id: string
  /** The agent. */
  agent_id: string
  /** What it checks. */
  name: string
  /**
   * `reply`: one answer, after `turns`. `conversation`: the contact says the lines of `steps`. `simulation`: a simulated
   * person talks until the end.
   */
  kind: 'reply' | 'conversation' | 'simulation'
  /** Runs leave out tests that are disabled, unless you name them, and the gate does too. */
  is_enabled: boolean
  /** Who speaks first. By default the agent, with its greeting or the start of its script. */
  begins: 'agent' | 'contact'
  /** For `reply`: what was said before. By default nothing. */
  turns: TestTurn[]
  /** For `reply`: what the contact says then. */
  says: string | null
  /** For `conversation`: what the contact says, one line after the other. */
  steps: TestStep[]
  person: TestPerson
  persona: TestPersona
  /** For `simulation`: by text, or in a simulated call. Personas talk by text. `text` by default. */
  medium: 'text' | 'voice'
  /** For `simulation`: it ends after so many turns of the person. 20 by default. */
  turns_max: number
  variables: Variables
  /** The fields of the contact that the agent talks with. It is never stored. */
  contact: Record<string, unknown> | null
  /** The time that the agent sees. By default the real one. */
  now: string | null
  /**
   * Really calls the tools that `tool_answers` does not answer, and may do so again if the run is interrupted. By default
   * such a call fails the test, and nothing is called.
   */
  uses_tools: boolean
  /** What tools answer. The first one that fits is used. At most 32 kB. */
  tool_answers: TestToolAnswer[]
  /** What holds for the answer, or at the end. */
  expect: TestExpectation[]
  /** When the test was created. */
  created_at: string
  /** When the test was last changed. */
  updated_at: string
}

export interface NewAgentTest {
  /** What it checks. */
  name: string
  /**
   * `reply`: one answer, after `turns`. `conversation`: the contact says the lines of `steps`. `simulation`: a simulated
   * person talks until the end.
   */
  kind: 'reply' | 'conversation' | 'simulation'
  /** Runs leave out tests that are disabled, unless you name them, and the gate does too. */
  is_enabled?: boolean
  /** Who speaks first. By default the agent, with its greeting or the start of its script. */
  begins?: 'agent' | 'contact'
  /** For `reply`: what was said before. By default nothing. */
  turns?: TestTurn[]
  /** For `reply`: what the contact says then. */
  says?: string | null
  /** For `conversation`: what the contact says, one line after the other. */
  steps?: TestStep[]
  person?: TestPerson
  persona?: TestPersona
  /** For `simulation`: by text, or in a simulated call. Personas talk by text. `text` by default. */
  medium?: 'text' | 'voice'
  /** For `simulation`: it ends after so many turns of the person. 20 by default. */
  turns_max?: number
  variables?: Variables
  /** The fields of the contact that the agent talks with. It is never stored. */
  contact?: Record<string, unknown> | null
  /** The time that the agent sees. By default the real one. */
  now?: string | null
  /**
   * Really calls the tools that `tool_answers` does not answer, and may do so again if the run is interrupted. By default
   * such a call fails the test, and nothing is called.
   */
  uses_tools?: boolean
  /** What tools answer. The first one that fits is used. At most 32 kB. */
  tool_answers?: TestToolAnswer[]
  /** What holds for the answer, or at the end. */
  expect?: TestExpectation[]
}

export interface AgentTestChange {
  /** What it checks. */
  name?: string
  /**
   * `reply`: one answer, after `turns`. `conversation`: the contact says the lines of `steps`. `simulation`: a simulated
   * person talks until the end.
   */
  kind?: 'reply' | 'conversation' | 'simulation'
  /** Runs leave out tests that are disabled, unless you name them, and the gate does too. */
  is_enabled?: boolean
  /** Who speaks first. By default the agent, with its greeting or the start of its script. */
  begins?: 'agent' | 'contact'
  /** For `reply`: what was said before. By default nothing. */
  turns?: TestTurn[]
  /** For `reply`: what the contact says then. */
  says?: string | null
  /** For `conversation`: what the contact says, one line after the other. */
  steps?: TestStep[]
  person?: TestPerson
  persona?: TestPersona
  /** For `simulation`: by text, or in a simulated call. Personas talk by text. `text` by default. */
  medium?: 'text' | 'voice'
  /** For `simulation`: it ends after so many turns of the person. 20 by default. */
  turns_max?: number
  variables?: Variables
  /** The fields of the contact that the agent talks with. It is never stored. */
  contact?: Record<string, unknown> | null
  /** The time that the agent sees. By default the real one. */
  now?: string | null
  /**
   * Really calls the tools that `tool_answers` does not answer, and may do so again if the run is interrupted. By default
   * such a call fails the test, and nothing is called.
   */
  uses_tools?: boolean
  /** What tools answer. The first one that fits is used. At most 32 kB. */
  tool_answers?: TestToolAnswer[]
  /** What holds for the answer, or at the end. */
  expect?: TestExpectation[]
}

export interface NewTestRun {
  /** The version to test. By default the deployed one. */
  version_id?: string | null
  /** Tests the draft instead. */
  use_draft?: boolean
  /** By default all that are enabled. */
  test_ids?: string[]
  /** 1 by default. */
  repeat?: number
  /** By default all repeats. */
  passes_min?: number
  /** Says again what contacts have said in the last conversations that were closed, instead of running tests. */
  replay?: {
    last: number
  }
}

/** What the model has read and written, in tokens. */
export interface TokenUsage {
  input_tokens: number
  output_tokens: number
}

export interface TestRun {
  /** The unique id of the run. Treat it as opaque. */
  id: string
  /** The agent. */
  agent_id: string
  /** `tests`: tests of the agent. `replay`: conversations of the past, said again. */
  kind: 'tests' | 'replay'
  /** The version that is tested. Of a draft, the configuration that it had when the run began. */
  agent_version: {
    /** `null` for the draft. */
    id: string | null
    version_label: string
  }
  /** A run that is `completed` may have failed: see `failed` and `errors`. */
  status: 'queued' | 'running' | 'completed' | 'canceled'
  /** How often each test is run. */
  repeat: number
  /** A test passes if it has passed this often. */
  passes_min: number
  /** How many tests or conversations it has. */
  tests: number
  /** How many of them have a result. */
  done: number
  /** How many have passed. */
  passed: number
  /** How many have failed. */
  failed: number
  /** How many could not be run, because a provider failed for example. */
  errors: number
  usage: TokenUsage
  created_by: VersionAuthor
  /** When the run was requested. */
  created_at: string
  /** When it began. */
  started_at: string | null
  /** When it was completed or canceled. */
  ended_at: string | null
}

export interface TestGate {
  /**
   * `tests`: a version can only be deployed when all tests that are enabled have passed on it. Only owners may change it,
   * and API keys that list the scope `agents:force`.
   */
  deploy_requires: 'none' | 'tests'
  /** How many tests of the agent are enabled. */
  tests: number
  /**
   * Whether all tests that are enabled have passed in one run on this content, as they are now. Also `true` if none is
   * enabled. With `false`, an agent whose `deploy_requires` is `tests` refuses the deployment.
   */
  has_passed: boolean
  /** The last run in which they have. */
  passed_run_id: string | null
  /** The last run on this content that was not canceled, whichever tests it has. It may not have ended yet. */
  last_run_id: string | null
}

export interface TestFailure {
  expectation: TestExpectation
  /** What is wrong. */
  sentence: string
  /** The line of `steps` that it belongs to, from 1. `null` for the test as a whole. */
  step: number | null
  /** The turn of the conversation at which it shows. `null` if it is none. */
  seq: number | null
  /** The conversation in which it failed. */
  conversation_id: string | null
}

export interface ReplayDifference {
  /** What differs. */
  what: 'answer' | 'end' | 'results' | 'tools'
  /** For answers and tools: the contact's turn in the stored conversation that is answered. */
  seq: number | null
  /** As it was. */
  recorded: unknown
  /** As the tested version does it. */
  replayed: unknown
  /** As the deployed version does it today. */
  deployed: unknown
  /** The deployed version, said again, differs from what was recorded here too. */
  is_by_chance: boolean
}

export interface TestRunResult {
  /** The unique id of the result. Treat it as opaque. */
  id: string
  /** The test. `null` in a replay, and when the test was deleted. */
  test_id: string | null
  /** In a replay: the conversation of the past. */
  source_conversation_id: string | null
  /** The name of the test when the run began. */
  name: string
  kind: 'reply' | 'conversation' | 'simulation' | 'replay'
  /** `error`: it could not be run, because a provider failed for example. */
  status: 'queued' | 'passed' | 'failed' | 'error' | 'canceled'
  /** How many of its runs have passed. */
  passes: number
  /** How many runs it had. */
  runs: number
  /** Whether each run gives the same: not if a model answers, judges or ranks documents, or a tool was really called. */
  is_repeatable: boolean
  /** What has failed in its runs: at most 20. */
  failures: TestFailure[]
  /** In a replay: at most 100. */
  differences: ReplayDifference[]
  /** Why it could not be run. */
  error: string | null
  /** Whether the test does something else by now. Its name makes no difference. */
  has_test_changed: boolean
  /** The conversation of the first run that failed, else of the first run. It is kept for 30 days. */
  conversation_id: string | null
  /** Of all runs, in order. */
  conversation_ids: string[]
  usage: TokenUsage
}

export interface TestRunWithResults {
  /** The unique id of the run. Treat it as opaque. */
  id: string
  /** The agent. */
  agent_id: string
  /** `tests`: tests of the agent. `replay`: conversations of the past, said again. */
  kind: 'tests' | 'replay'
  /** The version that is tested. Of a draft, the configuration that it had when the run began. */
  agent_version: {
    /** `null` for the draft. */
    id: string | null
    version_label: string
  }
  /** A run that is `completed` may have failed: see `failed` and `errors`. */
  status: 'queued' | 'running' | 'completed' | 'canceled'
  /** How often each test is run. */
  repeat: number
  /** A test passes if it has passed this often. */
  passes_min: number
  /** How many tests or conversations it has. */
  tests: number
  /** How many of them have a result. */
  done: number
  /** How many have passed. */
  passed: number
  /** How many have failed. */
  failed: number
  /** How many could not be run, because a provider failed for example. */
  errors: number
  usage: TokenUsage
  created_by: VersionAuthor
  /** When the run was requested. */
  created_at: string
  /** When it began. */
  started_at: string | null
  /** When it was completed or canceled. */
  ended_at: string | null
  /** The first 100, failures first. See "List the results of a test run" for all. */
  results: TestRunResult[]
}

export interface NewProvider {
  /** Unique in the workspace. Agents name it. */
  name: string
  /**
   * The URL of the API, up to and without `/chat/completions`, `/messages`, `/text-to-speech` or `/speak`. On a public
   * host, without user name, password and query. By default the vendor's own.
   */
  base_url?: string
  /**
   * The model that is used when none is named. Required for `openai_compatible` and `anthropic`. For `elevenlabs` and
   * `deepgram` it is one that hears or one that speaks; `null`: see "Speech" in the guide.
   */
  default_model?: string | null
  /**
   * The model that turns texts into vectors. Only for `openai_compatible`. `null`: none. An answer may have 64 kB, and
   * 128 kB for each text: a longer one is not used.
   */
  embedding_model?: string | null
  /**
   * Whether agents without a model use this provider. At most one provider of a workspace is the default, and none for
   * speech only. By default `true` if the workspace has no other.
   */
  is_default?: boolean
  /**
   * Sent to the provider, and never returned. A change of scheme, host or port of `base_url` removes the stored key,
   * unless it is sent again.
   */
  api_key?: string | null
  /**
   * `openai_compatible` for any server with OpenAI's Chat Completions API; `elevenlabs` and `deepgram` for speech only.
   * It can't be changed.
   */
  kind: 'openai_compatible' | 'anthropic' | 'elevenlabs' | 'deepgram'
}

export interface Provider {
  /** The unique id of the provider. Of a provider from the environment: `openai` or `anthropic`. */
  id: string
  /** Unique in the workspace. Agents name it. */
  name: string
  /**
   * `openai_compatible` for any server with OpenAI's Chat Completions API; `elevenlabs` and `deepgram` for speech only.
   * It can't be changed.
   */
  kind: 'openai_compatible' | 'anthropic' | 'elevenlabs' | 'deepgram'
  /**
   * The URL of the API, up to and without `/chat/completions`, `/messages`, `/text-to-speech` or `/speak`. On a public
   * host, without user name, password and query. `null` for a provider from the environment, and for people who are not
   * owners.
   */
  base_url: string | null
  /**
   * The model that is used when none is named. Required for `openai_compatible` and `anthropic`. For `elevenlabs` and
   * `deepgram` it is one that hears or one that speaks; `null`: see "Speech" in the guide. Also `null` for a provider
   * from the environment that has none.
   */
  default_model: string | null
  /**
   * The model that turns texts into vectors. Only for `openai_compatible`. `null`: none. An answer may have 64 kB, and
   * 128 kB for each text: a longer one is not used.
   */
  embedding_model: string | null
  /**
   * Whether agents without a model use this provider. At most one provider of a workspace is the default, and none for
   * speech only. The first from the environment that has a model is, while no other is.
   */
  is_default: boolean
  /** Whether an API key is stored. */
  has_api_key: boolean
  /** `environment` if the operator has configured it for all workspaces. It then can't be changed. */
  source: 'workspace' | 'environment'
  /** When the provider was created. `null` for a provider from the environment. */
  created_at: string | null
  /** When the provider was last changed. `null` for a provider from the environment. */
  updated_at: string | null
}

export interface ProviderChange {
  /** Unique in the workspace. Agents name it. */
  name?: string
  /**
   * The URL of the API, up to and without `/chat/completions`, `/messages`, `/text-to-speech` or `/speak`. On a public
   * host, without user name, password and query.
   */
  base_url?: string
  /**
   * The model that is used when none is named. Required for `openai_compatible` and `anthropic`. For `elevenlabs` and
   * `deepgram` it is one that hears or one that speaks; `null`: see "Speech" in the guide.
   */
  default_model?: string | null
  /**
   * The model that turns texts into vectors. Only for `openai_compatible`. `null`: none. An answer may have 64 kB, and
   * 128 kB for each text: a longer one is not used.
   */
  embedding_model?: string | null
  /**
   * Whether agents without a model use this provider. At most one provider of a workspace is the default, and none for
   * speech only.
   */
  is_default?: boolean
  /**
   * Sent to the provider, and never returned. A change of scheme, host or port of `base_url` removes the stored key,
   * unless it is sent again.
   */
  api_key?: string | null
}

export interface TestResult {
  /** Whether the answer was a success. */
  is_ok: boolean
  /** The status code of the response. `null` when there was none. */
  status: number | null
  /** How long the request took. */
  duration_ms: number
  /** What went wrong. `null` on success. */
  error: string | null
}

export interface NewTool {
  /**
   * `http`: agents send a request to the URL. `mcp`: the URL is that of a server that speaks the Model Context Protocol,
   * and agents name its tools, such as `crm__search`. Can't be changed. The default is `http`.
   */
  kind?: 'http' | 'mcp'
  /** Lower-case letters, digits and `_`. Unique in the workspace, and can't be changed: agents name it. */
  name: string
  /** Tells the model what the tool does and when to use it. */
  description?: string | null
  /**
   * The JSON Schema of the arguments, of the type `object`: see "Tools" in the guide for the keywords. By default there
   * are no arguments.
   */
  parameters?: unknown
  /** A URL that begins with https:// or http://, on a public host, without user name and password. */
  url: string
  /** With GET and DELETE, the arguments are in the query; otherwise in the JSON body. */
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /**
   * Headers to send, such as an API key: at most 20. Replaces all of them, except that `null` keeps the stored value. A
   * change of scheme, host or port of `url` removes stored values, unless they are sent again.
   */
  headers?: Record<string, string | null>
  /** How long the whole request may take. The default is 8,000. */
  timeout_ms?: number
  /**
   * Whether a call changes something. Only calls without side effects are repeated, once, after a failure. The default is
   * `true`.
   */
  has_side_effects?: boolean
  /**
   * What the agent says while the tool runs. With `confirm`, what it asks before: `{{day}}` stands for the argument
   * `day`.
   */
  say_while?: string | null
  /**
   * How often a model may run the tool in one answer to the contact. `null`: 5 with side effects, otherwise as often as
   * the agent may run tools. Beyond it the run is `refused`, and the model is told.
   */
  calls_max?: number | null
  /**
   * Whether a model may repeat a run with side effects that has succeeded, with the same arguments, before the contact
   * has spoken. If not, the run is `refused`, and the model gets the first result. The default is `false`.
   */
  may_repeat?: boolean
  /**
   * Whether the agent reads the arguments back before a model runs the tool, and runs it only after a clear yes. The
   * default is `false`.
   */
  confirm?: boolean
}

export interface ToolWithSecret {
  /** The unique id of the tool. Treat it as opaque. */
  id: string
  /**
   * `http`: agents send a request to the URL. `mcp`: the URL is that of a server that speaks the Model Context Protocol,
   * and agents name its tools, such as `crm__search`. Can't be changed.
   */
  kind: 'http' | 'mcp'
  /** Lower-case letters, digits and `_`. Unique in the workspace, and can't be changed: agents name it. */
  name: string
  /** Tells the model what the tool does and when to use it. */
  description: string | null
  /**
   * The JSON Schema of the arguments, of the type `object`: see "Tools" in the guide for the keywords. By default there
   * are no arguments.
   */
  parameters: Record<string, unknown>
  /**
   * A URL that begins with https:// or http://, on a public host, without user name and password. `null` for people who
   * are not owners.
   */
  url: string | null
  /** With GET and DELETE, the arguments are in the query; otherwise in the JSON body. */
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** The names of the headers. Their values are never returned. Empty for people who are not owners. */
  headers: Record<string, null>
  /** How long the whole request may take. */
  timeout_ms: number
  /** Whether a call changes something. Only calls without side effects are repeated, once, after a failure. */
  has_side_effects: boolean
  /**
   * What the agent says while the tool runs. With `confirm`, what it asks before: `{{day}}` stands for the argument
   * `day`.
   */
  say_while: string | null
  /**
   * How often a model may run the tool in one answer to the contact. `null`: 5 with side effects, otherwise as often as
   * the agent may run tools. Beyond it the run is `refused`, and the model is told.
   */
  calls_max: number | null
  /**
   * Whether a model may repeat a run with side effects that has succeeded, with the same arguments, before the contact
   * has spoken. If not, the run is `refused`, and the model gets the first result.
   */
  may_repeat: boolean
  /** Whether the agent reads the arguments back before a model runs the tool, and runs it only after a clear yes. */
  confirm: boolean
  /** Until when the previous secret also signs requests, after a rotation. */
  previous_secret_until: string | null
  /** When the tool was created. */
  created_at: string
  /** When the tool was last changed. */
  updated_at: string
  /** Signs requests, by Standard Webhooks. It is returned only this once. */
  secret: string
}

export interface Tool {
  /** The unique id of the tool. Treat it as opaque. */
  id: string
  /**
   * `http`: agents send a request to the URL. `mcp`: the URL is that of a server that speaks the Model Context Protocol,
   * and agents name its tools, such as `crm__search`. Can't be changed.
   */
  kind: 'http' | 'mcp'
  /** Lower-case letters, digits and `_`. Unique in the workspace, and can't be changed: agents name it. */
  name: string
  /** Tells the model what the tool does and when to use it. */
  description: string | null
  /**
   * The JSON Schema of the arguments, of the type `object`: see "Tools" in the guide for the keywords. By default there
   * are no arguments.
   */
  parameters: Record<string, unknown>
  /**
   * A URL that begins with https:// or http://, on a public host, without user name and password. `null` for people who
   * are not owners.
   */
  url: string | null
  /** With GET and DELETE, the arguments are in the query; otherwise in the JSON body. */
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** The names of the headers. Their values are never returned. Empty for people who are not owners. */
  headers: Record<string, null>
  /** How long the whole request may take. */
  timeout_ms: number
  /** Whether a call changes something. Only calls without side effects are repeated, once, after a failure. */
  has_side_effects: boolean
  /**
   * What the agent says while the tool runs. With `confirm`, what it asks before: `{{day}}` stands for the argument
   * `day`.
   */
  say_while: string | null
  /**
   * How often a model may run the tool in one answer to the contact. `null`: 5 with side effects, otherwise as often as
   * the agent may run tools. Beyond it the run is `refused`, and the model is told.
   */
  calls_max: number | null
  /**
   * Whether a model may repeat a run with side effects that has succeeded, with the same arguments, before the contact
   * has spoken. If not, the run is `refused`, and the model gets the first result.
   */
  may_repeat: boolean
  /** Whether the agent reads the arguments back before a model runs the tool, and runs it only after a clear yes. */
  confirm: boolean
  /** Until when the previous secret also signs requests, after a rotation. */
  previous_secret_until: string | null
  /** When the tool was created. */
  created_at: string
  /** When the tool was last changed. */
  updated_at: string
}

export interface McpTools {
  /** At most 500. */
  tools: Array<{
    /** The name by which agents use it. `null` if they can't. */
    name: string | null
    /** The server's name for it. */
    server_name: string
    /** What the server says about it. */
    description: string | null
    /** The JSON Schema of its arguments, as the server gives it. `null` if agents can't use it. */
    parameters: Record<string, unknown> | null
    /** Why agents can't use it. `null` if they can. */
    unusable_because: string | null
  }>
  /** Whether the server has more tools, which agents can't use. */
  has_more: boolean
  /** Why the server's tools could not be listed. `null` if they were. */
  error: string | null
}

export interface ToolChange {
  /** Tells the model what the tool does and when to use it. */
  description?: string | null
  /**
   * The JSON Schema of the arguments, of the type `object`: see "Tools" in the guide for the keywords. By default there
   * are no arguments.
   */
  parameters?: unknown
  /** A URL that begins with https:// or http://, on a public host, without user name and password. */
  url?: string
  /** With GET and DELETE, the arguments are in the query; otherwise in the JSON body. */
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /**
   * Headers to send, such as an API key: at most 20. Replaces all of them, except that `null` keeps the stored value. A
   * change of scheme, host or port of `url` removes stored values, unless they are sent again.
   */
  headers?: Record<string, string | null>
  /** How long the whole request may take. The default is 8,000. */
  timeout_ms?: number
  /**
   * Whether a call changes something. Only calls without side effects are repeated, once, after a failure. The default is
   * `true`.
   */
  has_side_effects?: boolean
  /**
   * What the agent says while the tool runs. With `confirm`, what it asks before: `{{day}}` stands for the argument
   * `day`.
   */
  say_while?: string | null
  /**
   * How often a model may run the tool in one answer to the contact. `null`: 5 with side effects, otherwise as often as
   * the agent may run tools. Beyond it the run is `refused`, and the model is told.
   */
  calls_max?: number | null
  /**
   * Whether a model may repeat a run with side effects that has succeeded, with the same arguments, before the contact
   * has spoken. If not, the run is `refused`, and the model gets the first result. The default is `false`.
   */
  may_repeat?: boolean
  /**
   * Whether the agent reads the arguments back before a model runs the tool, and runs it only after a clear yes. The
   * default is `false`.
   */
  confirm?: boolean
}

export interface ToolTest {
  /** The arguments of the call. By default there are none. */
  arguments?: Record<string, unknown>
}

export interface DocumentOptions {
  /** Unique in the workspace. People see it where an answer names its source. By default the name of the file, or the URL. */
  name?: string | null
  /** The language of the text, as a BCP 47 tag: its words are found in all their forms. `en` by default. */
  language?: string
  /** Agents can be given all documents with a tag. At most 20. */
  tags?: string[]
}

export interface NewDocument {
  /** Unique in the workspace. People see it where an answer names its source. By default the name of the file, or the URL. */
  name?: string | null
  /** The language of the text, as a BCP 47 tag: its words are found in all their forms. `en` by default. */
  language?: string
  /** Agents can be given all documents with a tag. At most 20. */
  tags?: string[]
  /** The text, in Markdown. Needs a `name`. */
  text?: string
  /** The URL of a page or a file on a public host. */
  url?: string
}

export interface Document {
  /** The unique id of the document. Treat it as opaque. */
  id: string
  /** Unique in the workspace. People see it where an answer names its source. */
  name: string
  /** The language of the text, as a BCP 47 tag: its words are found in all their forms. `en` by default. */
  language: string
  /** Where it comes from. */
  source: 'text' | 'file' | 'url'
  /** The URL that it was fetched from. `null` for others. */
  url: string | null
  /** Agents can be given all documents with a tag. */
  tags: string[]
  /**
   * `processing`: it is being read. `ready`: agents find it. `failed`: it could not be read, see `error`. A document that
   * was ready stays so while it is read again, also if that fails.
   */
  status: 'processing' | 'ready' | 'failed'
  /** Why it could not be read. Of a document that is `ready`: why it could not be read again. */
  error: string | null
  /** The size of the file. */
  bytes: number
  /** The length of the text. */
  characters: number
  /** The number of passages that can be found. */
  passages: number
  /** When it was last fetched from its URL. */
  fetched_at: string | null
  /** When the document was created. */
  created_at: string
  /** When the document was last changed or read. */
  updated_at: string
}

export interface Passage {
  /** The unique id of the passage. */
  id: string
  /** The document that it is part of. */
  document_id: string
  /** The name of the document. */
  title: string
  /** The headings above it, from the highest. */
  heading: string
  text: string
  /** The URL of the document. */
  url: string | null
  /** How much of what was asked the passage has, from 0 to 1: rare words count more. A script answers from 0.6. */
  score: number
}

export interface DocumentSearch {
  /** The best first. */
  passages: Passage[]
  /** What a script would answer. `null` if it would go to `else`. */
  answer: string | null
}

export interface UnansweredQuestion {
  /** The unique id of the question. */
  id: string
  /** What the agent was looking for. */
  question: string
  /** The agent. */
  agent_id: string
  /** The conversation. */
  conversation_id: string | null
  /** When it was asked. */
  created_at: string
}

export interface DocumentChange {
  /** Unique in the workspace. People see it where an answer names its source. */
  name?: string
  /** The language of the text, as a BCP 47 tag: its words are found in all their forms. `en` by default. */
  language?: string
  /** Agents can be given all documents with a tag. At most 20. */
  tags?: string[]
}

export interface Channel {
  /** The unique id of the channel. Treat it as opaque. */
  id: string
  /** A name for people. */
  name: string
  /** How people reach the agent. It can't be changed. */
  kind: 'voice' | 'sms' | 'web_chat'
  /**
   * Who carries it: `twilio` for `sms` and for `voice` on the telephone, `web` for `web_chat` and for `voice` in
   * browsers. A `simulator` reaches simulated people. It can't be changed.
   */
  provider: 'twilio' | 'web' | 'simulator'
  /** The phone number. `null` for the provider `web`, and for people who are not owners. */
  address: string | null
  /** The page of a web chat, or the one on which visitors talk. `null` for other kinds, and for people who are not owners. */
  public_url: string | null
  /** Of a web chat: whether visitors can also talk. */
  has_voice: boolean
  /**
   * The URL that Twilio sends incoming messages or calls to. `null` for other providers, and for people who are not
   * owners.
   */
  inbound_url: string | null
  /** The agent that answers. `null` only for a simulator without one. */
  agent_id: string | null
  /**
   * `disabled`: an owner has turned it off, and it neither receives nor sends nor calls. `failing`: the carrier refuses
   * to send or to call.
   */
  status: 'active' | 'disabled' | 'failing'
  /** What the channel can do while it is active. */
  capabilities: {
    /** Whether an agent answers who writes or calls. */
    inbound: boolean
    /** Whether an agent can write or call first. */
    outbound: boolean
  }
  /** When the channel was created. */
  created_at: string
  /** When the channel was last changed. */
  updated_at: string
}

/**
 * Your own data, which the agent does not see: at most 50 members, with names of up to 40 characters and texts of up to
 * 500.
 */
export type Metadata = Record<string, string>

export interface NewConversation {
  /** The agent that answers. */
  agent_id: string
  /** The contact that takes part. */
  contact_id?: string | null
  /** An SMS channel: the agent writes to the contact, which is then required, and `message` is not allowed. */
  channel_id?: string | null
  /** The contact's first words. Without them, the agent begins with its greeting. */
  message?: string | null
  variables?: Variables
  metadata?: Metadata
  /** A version other than the one in use, for a trial. */
  agent_version_id?: string | null
  /** Tries the agent's draft. */
  use_draft?: boolean
  /** A trial: it is left out of lists and totals, and sets no `last_contact_at`. */
  is_test?: boolean
}

export interface Conversation {
  /** The unique id of the conversation. Treat it as opaque. */
  id: string
  /** How the contact takes part. */
  kind: 'api' | 'web_chat' | 'sms' | 'voice'
  /**
   * `open`: the agent answers. `handed_over`: a person answers, and the agent is silent. `closed`: nothing more can be
   * said.
   */
  status: 'open' | 'handed_over' | 'closed'
  /** The channel, or `null` for a conversation over the API. */
  channel_id: string | null
  /** The agent. */
  agent_id: string
  /** The agent's name when the conversation began. */
  agent_name: string
  /** The version that the conversation began with. It keeps it. */
  agent_version: {
    /** `null` for a draft. */
    id: string | null
    version_label: string
  }
  /** The contact, if known. */
  contact_id: string | null
  /** The number of the other side, if there is one. */
  counterpart: string | null
  /** Whether the agent is making an answer. */
  is_answering: boolean
  /** The number of turns so far. */
  turn_count: number
  /** When something was last said. */
  last_turn_at: string | null
  /** Why it was handed over, if that was said. */
  hand_over_reason: string | null
  /**
   * Since when it waits for a person: since it was handed over, or since what the contact said first after the last
   * answer of a person. Messages of the service do not change it. `null` when it does not wait.
   */
  waiting_since: string | null
  /** Whether it is a trial. Lists leave trials out unless you ask for them. */
  is_test: boolean
  /** Why the conversation was closed. */
  close_reason:
    | 'agent_ended'
    | 'human_ended'
    | 'api'
    | 'idle'
    | 'limit'
    | 'opted_out'
    | 'agent_deleted'
    | 'error'
    | 'contact_ended'
    | null
  /** The facts that the agent has collected. */
  results: Record<string, unknown>
  /** Written when the conversation is handed over or closed. */
  summary: string | null
  variables: Variables
  metadata: Metadata
  usage: TokenUsage
  /** When everything that was said was erased. */
  redacted_at: string | null
  /** When the conversation began. */
  created_at: string
  /** When the conversation last changed. */
  updated_at: string
}

export interface NewMessage {
  text: string
}

export interface ToolRun {
  /** The unique id of the run. */
  id: string
  name: string
  arguments: unknown
  result: unknown
  /**
   * `refused`: the service has not run it. `result` says why: its `reason` is `repeated`, `calls_max` or `confirm`. See
   * "Tools" in the guide.
   */
  status: 'running' | 'succeeded' | 'failed' | 'timeout' | 'invalid_arguments' | 'unknown' | 'refused'
  duration_ms: number | null
}

export interface Citation {
  /** The document. */
  document_id: string
  /** The passage. When the document is read again, it has new ones. */
  passage_id: string
  /** The name of the document, then the headings. */
  title: string
  /** The URL of the document, if it was fetched from one. */
  url: string | null
}

export interface TurnLatency {
  /** Until the model's first words. */
  model_first_ms: number | null
  /** Until the model was done. */
  model_ms: number | null
  /** For tools. */
  tools_ms: number | null
  /** From the contact's words to the end of the answer. */
  turn_ms: number | null
  /** On real lines: from the end of speech until the contact had finished, without `recognise_ms`. */
  wait_ms?: number | null
  /** On real lines: to recognise the contact's words. */
  recognise_ms?: number | null
  /** On real lines: from the answer's first words to their first sound. */
  voice_ms?: number | null
  /** On real lines: from the end of speech until the first sound of the answer is heard. */
  first_sound_ms?: number | null
}

export interface Turn {
  /** Its number in the conversation, from 1. */
  seq: number
  /** Who said it. */
  role: 'contact' | 'agent' | 'human' | 'system'
  /** What was said. */
  text: string
  /** In calls: the part that was heard. `null` in text. */
  heard: string | null
  /** Whether the agent was interrupted. */
  is_interrupted: boolean
  /**
   * How the agent's answer ended. `stop`: it is complete. `length`: it reached the limit of the model or of the reply.
   * `content_filter`: the provider's filter ended it. `tool_loop`: the model called tools again and again. `failed`: no
   * model could answer, also because the answer was cut or filtered before it had words, see `error`. `interrupted`:
   * something came between. `null` for others.
   */
  finish_reason: 'stop' | 'length' | 'content_filter' | 'tool_loop' | 'failed' | 'interrupted' | null
  /** The person who answered in the dashboard. `null` for answers over the API, and for what others said. */
  author: {
    /** The id of the person. */
    id: string
    /** The person's name today. `null` in events, which keep no names, and when the person no longer exists. */
    name: string | null
  } | null
  /** The tools that the agent used. */
  tools: ToolRun[]
  /**
   * The step of the agent's script that this turn has come to, and why. `null` for turns that no script has made, and for
   * turns stored before this field existed.
   */
  script: {
    /** The name of the step, or `@end` or `@hand_over` if the script went there directly. */
    step: string
    /**
     * What began the turn. `begin`: the script begins, because the agent speaks first or the contact's first words match no
     * branch. `hear`, `intent`, `slot`: this was heard. `knowledge`: documents have answered it. `else`: nothing that the
     * step knows was heard. `repeat`: the contact asks to repeat. `silence`: the contact says nothing. `tool`: a tool has
     * ended.
     */
    reason: 'begin' | 'hear' | 'intent' | 'slot' | 'knowledge' | 'else' | 'repeat' | 'silence' | 'tool'
    /**
     * The phrase of the script that was heard, or the name of the intent or slot. `null` for other reasons. The contact's
     * own words are in the turn before.
     */
    heard: string | null
  } | null
  /**
   * The passages of documents that the answer is based on: of those that were looked up, up to three that share most
   * words with it.
   */
  citations: Citation[]
  latency: TurnLatency
  usage: TokenUsage
  /** The carrier's part. `null` where no carrier is involved. */
  message: {
    /**
     * `queued`: not yet sent. `sent`: the carrier has it. `delivered`: the contact has it. `failed`: see `error`.
     * `unknown`: the carrier did not answer, and does not know the message. Messages from the contact are `delivered`.
     */
    status: 'queued' | 'sent' | 'delivered' | 'failed' | 'unknown'
    /** The parts in which carriers send and charge it. */
    segments: number
    /**
     * What it costs to send it, in millionths of the currency: its segments at the workspace's price of when it was
     * written. `null` for messages from the contact.
     */
    cost_micros: number | null
    /** Why it was not sent or delivered. */
    error: string | null
  } | null
  /**
   * Why a model could not answer, for you: the contact is not told. Also when the fallback model has answered. `null`
   * when all went well, never when `finish_reason` is `failed` or `tool_loop`.
   */
  error: string | null
  /** When it was said. */
  created_at: string
}

export interface ConversationsStreamTurnStarted {
  /** The line `event`. */
  type: 'turn.started'
  /** The line `id`: send the last one as `Last-Event-ID` to continue. */
  id?: string
  data: {
    /** Its number in the conversation, from 1. */
    seq: number
    /** Who said it. */
    role: 'contact' | 'agent' | 'human' | 'system'
  }
}

export interface ConversationsStreamTurnDelta {
  /** The line `event`. */
  type: 'turn.delta'
  /** The line `id`: send the last one as `Last-Event-ID` to continue. */
  id?: string
  data: {
    /** Its number in the conversation, from 1. */
    seq: number
    /** What was said. */
    text: string
  }
}

export interface ConversationsStreamTurnFinished {
  /** The line `event`. */
  type: 'turn.finished'
  /** The line `id`: send the last one as `Last-Event-ID` to continue. */
  id?: string
  data: {
    turn: Turn
  }
}

export interface ConversationsStreamConversationUpdated {
  /** The line `event`. */
  type: 'conversation.updated'
  /** The line `id`: send the last one as `Last-Event-ID` to continue. */
  id?: string
  data: {
    conversation: Conversation
  }
}

/** One event of the stream, by its `type`. */
export type ConversationsStreamEvent =
  | ConversationsStreamTurnStarted
  | ConversationsStreamTurnDelta
  | ConversationsStreamTurnFinished
  | ConversationsStreamConversationUpdated

export interface HandOver {
  /** Why a person is needed. */
  reason?: string | null
}

export interface Link {
  /** The contact that takes part. */
  contact_id: string
}

export interface NewCall {
  /** The agent that speaks. */
  agent_id: string
  /** E.164: a plus, the country code and the number, at most 15 digits. Unique within the workspace. */
  to?: string | null
  /** The contact to call. Send either this or `to`. */
  contact_id?: string | null
  /** The voice channel to call from. By default the only active one that can call. */
  channel_id?: string | null
  /** A version other than the one in use, for a trial. */
  agent_version_id?: string | null
  /** When to dial, at most a year ahead. By default, and for a time in the past: now. */
  scheduled_at?: string | null
  variables?: Variables
  metadata?: Metadata
  /**
   * A simulated person, from `00` to `19`, answers instead of the number: see "Simulated people" in the guide. Needs no
   * channel, and works in live workspaces too.
   */
  simulate?: string | null
}

export interface Call {
  /** The unique id of the call. Treat it as opaque. */
  id: string
  /** Who has called. */
  direction: 'inbound' | 'outbound'
  /**
   * `completed`: someone or something has answered. `failed`: nobody has, or the call could not be made. A call that is
   * `completed`, `failed` or `canceled` stays so.
   */
  status: 'scheduled' | 'queued' | 'ringing' | 'in_progress' | 'completed' | 'failed' | 'canceled'
  /** What has answered, or why nobody has. `null` until it is known. */
  outcome:
    | 'answered'
    | 'voicemail'
    | 'screened'
    | 'menu'
    | 'no_answer'
    | 'busy'
    | 'rejected'
    | 'invalid_number'
    | 'unreachable'
    | 'blocked'
    | 'canceled'
    | 'error'
    | 'unknown'
    | null
  /** Why the call has ended. */
  end_reason:
    | 'contact_hung_up'
    | 'agent_hung_up'
    | 'human_hung_up'
    | 'transferred'
    | 'opted_out'
    | 'goal_reached'
    | 'max_duration'
    | 'silence'
    | 'voicemail_left'
    | 'voicemail_hung_up'
    | 'not_answered'
    | 'canceled'
    | 'carrier_error'
    | 'carrier_silent'
    | 'system_error'
    | null
  /** Who has ended the call. */
  ended_by: 'contact' | 'agent' | 'human' | 'system' | null
  /** The number that calls. `null` if it is withheld, and in browsers. */
  from: string | null
  /** The number that is called. */
  to: string | null
  /** The contact, if known. */
  contact_id: string | null
  /** The conversation of the call. `null` until the number is dialled. */
  conversation_id: string | null
  /** The agent. */
  agent_id: string
  /** The agent's name when the call was created. */
  agent_name: string
  /** The version of the agent that speaks. */
  agent_version: {
    /** The version. */
    id: string | null
    version_label: string
  }
  /** The channel. `null` for calls that need none: with a simulated person, or in a browser. */
  channel_id: string | null
  /** The campaign that the call belongs to. */
  campaign_id: string | null
  /** Which attempt to reach the contact this is. */
  attempt: number
  /**
   * When the number is to be dialled, if that was chosen. A callback that an agent has promised moves if it could not be
   * made within the `quiet_hours`.
   */
  scheduled_at: string | null
  /** When the number was dialled. */
  started_at: string | null
  /** When someone or something answered. */
  answered_at: string | null
  /** When the call ended. */
  ended_at: string | null
  /** From the answer to the end. */
  duration_ms: number | null
  /** The facts that the agent has collected. */
  results: Record<string, unknown>
  /** Written after the call. `null` for scripts. */
  summary: string | null
  /** The number of turns so far. */
  turn_count: number
  recording: {
    /** A recording that is `ready` can be downloaded. */
    status: 'none' | 'recording' | 'rendering' | 'ready' | 'failed' | 'deleted'
    /** How long it is. */
    duration_ms: number | null
    /** `wav`, with the contact left and the agent right. */
    format: string | null
  }
  /** From the contact's last word to the agent's first, over the turns of the agent. */
  latency: {
    /** The median. */
    turn_p50_ms: number | null
    /** The 95th percentile. */
    turn_p95_ms: number | null
  }
  usage: TokenUsage
  /** What the call has cost by the workspace's `prices`, in millionths of the currency. */
  cost_micros: number
  metadata: Metadata
  /** Whether nobody real was at the other end: a simulated person, or someone who tried the agent. */
  is_test: boolean
  /** When everything that was said was erased. */
  redacted_at: string | null
  /** When the call was created. */
  created_at: string
  /** When the call last changed. */
  updated_at: string
}

export interface NewWebCall {
  /** The agent that speaks. */
  agent_id: string
  /** A version other than the one in use, for a trial. */
  agent_version_id?: string | null
  /** Whether to speak with the agent's draft, for a trial. */
  use_draft?: boolean
  /** The contact that speaks, if you know it. */
  contact_id?: string | null
  variables?: Variables
  metadata?: Metadata
  /** The origin of the page that may open the socket, such as `https://example.com`: no other one may. `null`: any. */
  origin?: string | null
  /** Whether this is a trial. It then says nothing about the contact, and is recorded without a notice. */
  is_test?: boolean
}

export interface WebCall {
  call: Call
  /** Open a WebSocket there, and send `start` with the token: see "Voice in the browser" in the guide. */
  url: string
  /** Opens the socket, once. */
  token: string
  /** When the socket must be open. */
  expires_at: string
}

export interface CallChange {
  metadata?: Metadata
}

export interface CallEvent {
  /** Its number in the call, from 1. */
  seq: number
  /**
   * What happened: `dialed`, `queued`, `ringing`, `answered`, `machine.*` (what has answered), `final.*` (how the line
   * ended) or `ended.*` (why the call ended).
   */
  kind: string
  /** When it happened. */
  at: string
  /** Who has said or done it. */
  source: 'carrier' | 'contact' | 'agent' | 'human' | 'system'
}

export interface CallsLiveCallUpdated {
  /** The line `event`. */
  type: 'call.updated'
  /** The line `id`: send the last one as `Last-Event-ID` to continue. */
  id?: string
  data: {
    call: Call
  }
}

export interface CallsLiveTurnStarted {
  /** The line `event`. */
  type: 'turn.started'
  /** The line `id`: send the last one as `Last-Event-ID` to continue. */
  id?: string
  data: {
    /** Its number in the conversation, from 1. */
    seq: number
    /** Who said it. */
    role: 'contact' | 'agent' | 'human' | 'system'
  }
}

export interface CallsLiveTurnDelta {
  /** The line `event`. */
  type: 'turn.delta'
  /** The line `id`: send the last one as `Last-Event-ID` to continue. */
  id?: string
  data: {
    /** Its number in the conversation, from 1. */
    seq: number
    /** What was said. */
    text: string
  }
}

export interface CallsLiveTurnFinished {
  /** The line `event`. */
  type: 'turn.finished'
  /** The line `id`: send the last one as `Last-Event-ID` to continue. */
  id?: string
  data: {
    turn: Turn
  }
}

export interface CallsLiveConversationUpdated {
  /** The line `event`. */
  type: 'conversation.updated'
  /** The line `id`: send the last one as `Last-Event-ID` to continue. */
  id?: string
  data: {
    conversation: Conversation
  }
}

/** One event of the stream, by its `type`. */
export type CallsLiveEvent =
  | CallsLiveCallUpdated
  | CallsLiveTurnStarted
  | CallsLiveTurnDelta
  | CallsLiveTurnFinished
  | CallsLiveConversationUpdated

export interface Transcript {
  /** The call. */
  call_id: string
  /** The language of the agent. `null` if it was deleted. */
  language: string | null
  /** From the answer to the end. */
  duration_ms: number | null
  /** By when they began. */
  turns: Array<{
    /** Its number in the conversation, from 1. */
    seq: number
    /** Who said it. */
    role: 'contact' | 'agent' | 'human' | 'system'
    /** What was said. */
    text: string
    /** In calls: the part that was heard. `null` in text. */
    heard: string | null
    /** Whether the agent was interrupted. */
    is_interrupted: boolean
    /**
     * How the agent's answer ended. `stop`: it is complete. `length`: it reached the limit of the model or of the reply.
     * `content_filter`: the provider's filter ended it. `tool_loop`: the model called tools again and again. `failed`: no
     * model could answer, also because the answer was cut or filtered before it had words, see `error`. `interrupted`:
     * something came between. `null` for others.
     */
    finish_reason: 'stop' | 'length' | 'content_filter' | 'tool_loop' | 'failed' | 'interrupted' | null
    /** When it began, since the answer. `null` for what was not spoken. */
    start_ms: number | null
    /** When it ended. */
    end_ms: number | null
    /** What was spoken, word by word. */
    words: Array<{
      text: string
      /** Since the answer. */
      start_ms: number
      end_ms: number
      /** `exact` for simulated calls. Otherwise a word gets a share of the time of its sentence. */
      timing: 'exact' | 'estimated'
    }>
    /** The tools that the agent used. */
    tools: Array<{
      name: string
      status: string
      /** How long it took. */
      duration_ms: number | null
    }>
    latency: TurnLatency
  }>
}

export interface CallingWindow {
  /** On which days. */
  days: Array<'mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun'>
  /** Hours and minutes. */
  start: string
  /** Hours and minutes, exclusive. An end before the start is on the next day. */
  end: string
}

/** How fast contacts are reached. */
export interface PacingChange {
  /** Attempts at the same time. */
  in_flight_max?: number
  /** How many attempts begin in a second. Less than 1 is possible. */
  starts_per_second?: number
  /** How many minutes it takes to reach this rate after a start. */
  ramp_minutes?: number
}

export interface RetryRule {
  /** How the attempt ended. */
  outcome:
    | 'answered'
    | 'voicemail'
    | 'screened'
    | 'menu'
    | 'no_answer'
    | 'busy'
    | 'rejected'
    | 'invalid_number'
    | 'unreachable'
    | 'blocked'
    | 'canceled'
    | 'error'
    | 'unknown'
    | 'replied'
    | 'delivered'
    | 'undelivered'
  /** Attempts with this outcome. */
  attempts_max: number
  /** How long to wait after the first, the second and later ones. The last wait is repeated. */
  waits_seconds: number[]
}

/** How often a person is tried, over all campaigns. Days are those of the contact's time zone. */
export interface CapsChange {
  /** Attempts in a day. */
  per_day?: number
  /** Attempts in seven days. */
  per_week?: number
  /** Hours between two attempts. */
  gap_hours_min?: number
}

export interface NewCampaign {
  /** Its name. */
  name: string
  /** Whether contacts are called or written to. */
  kind: 'voice' | 'sms'
  /** The agent. */
  agent_id: string
  /** The channels to reach contacts from, in turn. By default the only active one of this kind. */
  channel_ids?: string[]
  variables?: Variables
  /** When contacts can be reached, in the contact's time zone. It must be open in every zone that the number may be in. */
  windows?: CallingWindow[]
  /** Used for contacts whose time zone is not known, not even from their number. Without it they are not reached. */
  time_zone?: string | null
  /** Days on which nobody is reached. */
  holidays?: string[]
  pacing?: PacingChange
  /** What happens after attempts that did not reach the contact. Outcomes that are not named keep their defaults. */
  retry?: RetryRule[]
  /** Attempts per contact, in all. */
  attempts_max?: number
  caps?: CapsChange
  /** `required`: only contacts who have agreed. `not_opted_out`: all who have not opted out. */
  consent?: 'required' | 'not_opted_out'
  /** What the agent does when a voicemail answers: leave the agent's `voicemail_message`, or hang up. */
  voicemail?: 'leave' | 'hang_up'
  /** When it begins by itself after it was started. `null`: at once. */
  starts_at?: string | null
  /** When it ends. Contacts who were not reached by then are `expired`. */
  ends_at?: string | null
  /** A version of the agent. By default the one that is deployed when a contact is reached. */
  agent_version_id?: string | null
}

export interface Campaign {
  /** The unique id of the campaign. Treat it as opaque. */
  id: string
  /** Its name. */
  name: string
  /** Whether contacts are called or written to. */
  kind: 'voice' | 'sms'
  /** A campaign with nothing left to do is `completed` by itself. */
  status: 'draft' | 'scheduled' | 'running' | 'paused' | 'completed' | 'canceled'
  /**
   * `circuit_breaker`: too many attempts failed, or too many contacts opted out. It runs again after five minutes.
   * `no_channel`: none of its channels can be used. `speech_not_installed`: its agent can neither hear nor speak. Resume
   * it when that has changed.
   */
  pause_reason: 'requested' | 'circuit_breaker' | 'no_channel' | 'speech_not_installed' | null
  /** The agent. */
  agent_id: string
  /** The version of the agent. `null`: the one that is deployed. */
  agent_version: {
    /** The version. */
    id?: string
    version_label?: string
  } | null
  /** The channels to reach contacts from, in turn. By default the only active one of this kind. */
  channel_ids: string[]
  variables: Variables
  /** When contacts can be reached, in the contact's time zone. It must be open in every zone that the number may be in. */
  windows: CallingWindow[]
  /** Used for contacts whose time zone is not known, not even from their number. Without it they are not reached. */
  time_zone: string | null
  /** Days on which nobody is reached. */
  holidays: string[]
  /** How fast contacts are reached. */
  pacing: {
    /** Attempts at the same time. */
    in_flight_max: number
    /** How many attempts begin in a second. Less than 1 is possible. */
    starts_per_second: number
    /** How many minutes it takes to reach this rate after a start. */
    ramp_minutes: number
  }
  /** What happens after attempts that did not reach the contact. Outcomes that are not named keep their defaults. */
  retry: RetryRule[]
  /** Attempts per contact, in all. */
  attempts_max: number
  /** How often a person is tried, over all campaigns. Days are those of the contact's time zone. */
  caps: {
    /** Attempts in a day. */
    per_day: number
    /** Attempts in seven days. */
    per_week: number
    /** Hours between two attempts. */
    gap_hours_min: number
  }
  /** `required`: only contacts who have agreed. `not_opted_out`: all who have not opted out. */
  consent: 'required' | 'not_opted_out'
  /** What the agent does when a voicemail answers: leave the agent's `voicemail_message`, or hang up. */
  voicemail: 'leave' | 'hang_up'
  /** When it begins by itself after it was started. `null`: at once. */
  starts_at: string | null
  /** When it ends. Contacts who were not reached by then are `expired`. */
  ends_at: string | null
  /** How many contacts are in the campaign. */
  counts: {
    /** Contacts in the campaign. */
    enrolled: number
    /** By the status of the enrollment. */
    by_status: Record<string, number>
  }
  /** When the campaign was created. */
  created_at: string
  /** When the campaign was last changed. */
  updated_at: string
}

export interface CampaignChange {
  /** Its name. */
  name?: string
  /** Whether contacts are called or written to. */
  kind?: 'voice' | 'sms'
  /** The agent. */
  agent_id?: string
  /** The channels to reach contacts from, in turn. By default the only active one of this kind. */
  channel_ids?: string[]
  variables?: Variables
  /** When contacts can be reached, in the contact's time zone. It must be open in every zone that the number may be in. */
  windows?: CallingWindow[]
  /** Used for contacts whose time zone is not known, not even from their number. Without it they are not reached. */
  time_zone?: string | null
  /** Days on which nobody is reached. */
  holidays?: string[]
  pacing?: PacingChange
  /** What happens after attempts that did not reach the contact. Outcomes that are not named keep their defaults. */
  retry?: RetryRule[]
  /** Attempts per contact, in all. */
  attempts_max?: number
  caps?: CapsChange
  /** `required`: only contacts who have agreed. `not_opted_out`: all who have not opted out. */
  consent?: 'required' | 'not_opted_out'
  /** What the agent does when a voicemail answers: leave the agent's `voicemail_message`, or hang up. */
  voicemail?: 'leave' | 'hang_up'
  /** When it begins by itself after it was started. `null`: at once. */
  starts_at?: string | null
  /** When it ends. Contacts who were not reached by then are `expired`. */
  ends_at?: string | null
  /** A version of the agent. By default the one that is deployed when a contact is reached. */
  agent_version_id?: string | null
}

export interface NewForecast {
  /** What is drawn depends on it. By default that of the workspace's test clock, or 1. */
  seed?: number
  /** How calls and messages turn out, in percent. Shares that are left out keep their values; the sum is 100. */
  mix?: {
    answered?: number
    no_answer?: number
    voicemail?: number
    busy?: number
    rejected?: number
    unreachable?: number
    error?: number
  }
}

export interface Forecast {
  /** The seed of what was drawn. */
  seed: number
  /**
   * Whether only some of the contacts were simulated, chosen by chance: 10,000, or as many as 15 seconds are enough for.
   * All counts are of all contacts nevertheless.
   */
  is_sampled: boolean
  /** Contacts that were simulated. */
  simulated: number
  /** When nothing is left to do. `null` when it does not end within a year. */
  expected_end_at: string | null
  /** An interval for `expected_end_at`, which is `null` when that is. */
  expected_end: {
    /** The begin of the interval. */
    low: string
    /** Its end. */
    high: string
  } | null
  /** At most 200 intervals of equal length. */
  timeline: Array<{
    /** The begin of the interval. */
    at: string
    /** Attempts that begin in it. */
    starts: number
    /** Attempts that go on at its end. */
    in_flight: number
    /** Contacts who answer in it. */
    answered: number
  }>
  /** Attempts by their outcome. */
  by_outcome: Record<string, number>
  /** For each outcome the interval in which its count lies in nine of ten cases. */
  by_outcome_interval: Record<
    string,
    {
      /** At least so many attempts. */
      low: number
      /** At most so many. */
      high: number
    }
  >
  /** Contacts by the status of their enrollment at the end. */
  by_status: Record<string, number>
  /** Contacts who are skipped, by reason. */
  skips: Record<string, number>
  /** What you may want to change. */
  warnings: string[]
}

export interface CampaignProgress {
  /** Contacts in the campaign. */
  total: number
  /** Contacts that were not enrolled in the background, because the campaign had 1,000,000 already. */
  not_enrolled: number
  /** Contacts by the status of their enrollment. */
  by_status: Record<string, number>
  /** Attempts by their outcome. */
  by_outcome: Record<string, number>
  /** Attempts that go on now. */
  in_flight: number
  /** Attempts that began in the last minute. */
  starts_last_minute: number
  /**
   * When it would end at the rate of the last minute, and not before the last waiting contact is due. Closed hours and
   * later retries are not counted: a forecast counts them. `null` while the campaign does not run, and when it has
   * started nothing in the last minute and no contact is due later.
   */
  expected_end_at: string | null
}

export interface NewEnrollments {
  /** The contacts. */
  contact_ids?: string[]
  /** The contacts, with values that the agent may use. */
  contacts?: Array<{
    /** The contact. */
    contact_id: string
    variables?: Variables
  }>
  /**
   * All contacts that match, as in the list of contacts. `tag` and `custom_field` take a text, or a list of which all
   * must match.
   */
  filter?: {
    /**
     * Returns contacts that have every word of this text, in any order, as a part of their phone number, first name, last
     * name, display name, email or company. Ignores case and accents. Digits with spaces, dots, dashes, brackets or `+` are
     * one word, and also match the digits of the phone number: `(415) 555-1003` finds `+14155551003`. In a search of more
     * than ten words, what follows the ninth is found as it is. `%`, `_` and `\` are plain characters.
     */
    search?: string
    /** Returns contacts that have this tag. Ignores case. Repeat the parameter to require several tags. */
    tag?: string | string[]
    /**
     * Returns contacts whose custom field has this value: `plan:gold`. Numbers and booleans are compared by their text:
     * `seats:12`, `is_partner:true`. Repeat the parameter to require several.
     */
    custom_field?: string | string[]
    /** Returns the contact that has exactly this phone number. Write `+` as `%2B` in a URL. */
    phone_number?: string
    /** Returns contacts that have exactly this email. Ignores the case of the letters A to Z. */
    email?: string
    /** Returns contacts that were created in this way. */
    source?: 'api' | 'import' | 'manual' | 'inbound' | 'webhook'
    /** Returns contacts that were created after this time. */
    created_after?: string
    /** Returns contacts that were created before this time. */
    created_before?: string
    /** Used together with `crm_id`: returns the contact that has this id in this CRM system. */
    crm_system?: string
    /** Used together with `crm_system`. */
    crm_id?: string
  }
}

export interface Enrolled {
  /** Contacts that were enrolled. The rest follows in the background when the status is 202. */
  enrolled: number
  /** Contacts that were in the campaign before. */
  already_enrolled: number
}

export interface Enrollment {
  /** The unique id of the enrollment. Treat it as opaque. */
  id: string
  /** The campaign. */
  campaign_id: string
  /** The contact. */
  contact_id: string
  /** `waiting`: the next attempt follows at `next_attempt_at`. */
  status:
    | 'pending'
    | 'dialing'
    | 'in_progress'
    | 'waiting'
    | 'completed'
    | 'failed'
    | 'skipped'
    | 'canceled'
    | 'expired'
  /** Why it has this status, such as `opted_out` or `no_answer`. */
  reason: string | null
  /** Attempts so far. */
  attempts: number
  /** How the last attempt ended. */
  last_outcome:
    | 'answered'
    | 'voicemail'
    | 'screened'
    | 'menu'
    | 'no_answer'
    | 'busy'
    | 'rejected'
    | 'invalid_number'
    | 'unreachable'
    | 'blocked'
    | 'canceled'
    | 'error'
    | 'unknown'
    | 'replied'
    | 'delivered'
    | 'undelivered'
    | null
  /** The last call. */
  last_call_id: string | null
  /** The last conversation by SMS. */
  last_conversation_id: string | null
  /** When the next attempt follows at the earliest. `null` until that was decided. */
  next_attempt_at: string | null
  variables: Variables
  /** When the contact was enrolled. */
  created_at: string
  /** When the enrollment last changed. */
  updated_at: string
}

export interface Explanation {
  /** What would happen at this time. */
  verdict: 'attempt' | 'defer' | 'skip' | 'fail' | 'expire' | 'done'
  /** The time that is explained. */
  at: string
  /** Every rule, in the order in which they are asked. */
  rules: Array<{
    rule:
      | 'campaign'
      | 'consent'
      | 'conversation'
      | 'attempts'
      | 'caps'
      | 'quiet_hours'
      | 'windows'
      | 'breaker'
      | 'pacing'
    verdict: 'pass' | 'defer' | 'skip' | 'fail' | 'expire' | 'done'
    /** In words. */
    because: string
  }>
  /** The earliest time of the next attempt. `null` when none follows. */
  next_attempt_at: string | null
  /** Attempts so far. */
  attempts: Array<{
    /** Its number. */
    attempt: number
    /** When it began. */
    at: string
    /** When it ended. */
    ended_at: string | null
    /** How it ended. */
    outcome: string | null
    /** The call. */
    call_id: string | null
    /** The conversation by SMS. */
    conversation_id: string | null
  }>
}

/**
 * The values that the row is for, by the names in `group_by`. `null` for what has none: conversations have neither
 * `campaign_id` nor `outcome`. Empty without `group_by`.
 */
export type AnalyticsGroup = Record<string, string | null>

/**
 * The limits are those of Wilson's interval of 95 %: what the share would be in the long run. All are `null` without
 * calls.
 */
export interface AnswerRate {
  /** `answered` as a share of `calls`. */
  value: number | null
  /** The lower limit. */
  low: number | null
  /** The upper limit. */
  high: number | null
}

export interface CallAnalytics {
  /**
   * By time. Without `group_by` each interval has a row, also when nothing has happened. With `group_by` only what has
   * happened has.
   */
  rows: Array<{
    /** When the interval begins. */
    start: string
    group: AnalyticsGroup
    /** The number of calls that were dialled or received in the interval, and have ended. */
    calls: number
    /** Those with the outcome `answered`: by a person. */
    answered: number
    /** How many calls had each outcome. Outcomes that no call had are left out. */
    by_outcome: Record<string, number>
    answer_rate: AnswerRate
    /**
     * The median of `duration_ms`, over calls that were answered by anything. In milliseconds, less than 5 % away from the
     * exact one. `null` if there is none.
     */
    duration_p50_ms: number | null
    /**
     * The median of the calls' `latency.turn_p50_ms`: how fast the agent answers. In milliseconds, less than 5 % away from
     * the exact one. `null` if there is none.
     */
    turn_p50_ms: number | null
    /** What the calls have cost by the workspace's `prices`, in millionths of the currency. */
    cost_micros: number
  }>
  /** All rows together. */
  total: {
    /** The number of calls that were dialled or received in the interval, and have ended. */
    calls: number
    /** Those with the outcome `answered`: by a person. */
    answered: number
    /** How many calls had each outcome. Outcomes that no call had are left out. */
    by_outcome: Record<string, number>
    answer_rate: AnswerRate
    /**
     * The median of `duration_ms`, over calls that were answered by anything. In milliseconds, less than 5 % away from the
     * exact one. `null` if there is none.
     */
    duration_p50_ms: number | null
    /**
     * The median of the calls' `latency.turn_p50_ms`: how fast the agent answers. In milliseconds, less than 5 % away from
     * the exact one. `null` if there is none.
     */
    turn_p50_ms: number | null
    /** What the calls have cost by the workspace's `prices`, in millionths of the currency. */
    cost_micros: number
  }
}

export interface ConversationAnalytics {
  /**
   * By time. Without `group_by` each interval has a row, also when nothing has happened. With `group_by` only what has
   * happened has.
   */
  rows: Array<{
    /** When the interval begins. */
    start: string
    group: AnalyticsGroup
    /** The number of conversations that began in the interval. */
    conversations: number
    /** How often they were handed over to a person so far. */
    handed_over: number
    /** How many of them are closed by now. */
    closed: number
    /** The number of their turns so far. */
    turns: number
    /**
     * The median of the time from a contact's first words to the first answer, by the agent or by a person. In
     * milliseconds, less than 5 % away from the exact one. `null` if there is none.
     */
    first_answer_p50_ms: number | null
  }>
  /** All rows together. */
  total: {
    /** The number of conversations that began in the interval. */
    conversations: number
    /** How often they were handed over to a person so far. */
    handed_over: number
    /** How many of them are closed by now. */
    closed: number
    /** The number of their turns so far. */
    turns: number
    /**
     * The median of the time from a contact's first words to the first answer, by the agent or by a person. In
     * milliseconds, less than 5 % away from the exact one. `null` if there is none.
     */
    first_answer_p50_ms: number | null
  }
}

export interface CampaignAnalytics {
  /**
   * By time. Without `group_by` each interval has a row, also when nothing has happened. With `group_by` only what has
   * happened has.
   */
  rows: Array<{
    /** When the interval begins. */
    start: string
    group: AnalyticsGroup
    /** The number of attempts that began in the interval, and have ended. */
    attempts: number
    /** Those that have reached the contact: with the outcome `answered`, `replied` or `delivered`. */
    reached: number
    /** Those after which the enrollment was `completed`. */
    completed: number
  }>
  /** All rows together. */
  total: {
    /** The number of attempts that began in the interval, and have ended. */
    attempts: number
    /** Those that have reached the contact: with the outcome `answered`, `replied` or `delivered`. */
    reached: number
    /** Those after which the enrollment was `completed`. */
    completed: number
  }
}

/** The unique id of the event. Treat it as opaque. */
export type EventId = string

/** The resource that the event is about. */
export type EventResourceId = string

/** When it happened. */
export type EventTime = string

/** Who or what has caused it. `null` for events from before this was recorded. */
export type EventActor = {
  /** What it is. */
  type: 'key' | 'person' | 'agent' | 'integration' | 'operator' | 'system'
  /** Its id. `null` for `operator`, who uses the command line, and for `system`, the service itself. */
  id: string | null
  /** Its name of now. `null` if it has none, or does not exist any more. */
  name: string | null
} | null

/** What it is about. `null` for events from before this was recorded. */
export type EventSubject = {
  /** What it is, such as `contact`. */
  type: string
  /** Its id. */
  id: string | null
  /** Its name of now. `null` if it has none, or does not exist any more. */
  name: string | null
} | null

export interface WorkspaceEvent {
  id: EventId
  /** The type of the event. More types may be added. */
  type:
    | 'contact.created'
    | 'contact.updated'
    | 'contact.deleted'
    | 'agent.created'
    | 'agent.updated'
    | 'agent.deployed'
    | 'agent.deleted'
    | 'test_run.completed'
    | 'conversation.started'
    | 'conversation.turn'
    | 'conversation.handed_over'
    | 'conversation.taken_back'
    | 'conversation.closed'
    | 'message.received'
    | 'message.sent'
    | 'message.delivered'
    | 'message.failed'
    | 'call.started'
    | 'call.answered'
    | 'call.ended'
    | 'call.updated'
    | 'call.recording_ready'
    | 'campaign.started'
    | 'campaign.paused'
    | 'campaign.resumed'
    | 'campaign.completed'
    | 'campaign.canceled'
    | 'campaign.progress'
    | 'import.finished'
    | 'import.undone'
    | 'document.ready'
    | 'document.failed'
    | 'api_key.created'
    | 'api_key.revoked'
    | 'webhook.disabled'
    | 'webhook.test'
  resource_id: EventResourceId
  created_at: EventTime
  actor: EventActor
  subject: EventSubject
  /** The resource after the event. Its schema depends on the type. */
  data: Record<string, unknown>
  /** For updates: the previous values of the fields that changed. `null` otherwise. */
  previous: Record<string, unknown> | null
}

export interface OnlyId {
  /** The resource's identifier. */
  id: string
}

export interface EventsStreamContactCreated {
  /** The line `event`. */
  type: 'contact.created'
  /** The line `id`: send the last one as `Last-Event-ID` to continue. */
  id?: string
  data: {
    id: EventId
    type: 'contact.created'
    resource_id: EventResourceId
    created_at: EventTime
    actor: EventActor
    subject: EventSubject
    data: ContactWithCrmIds | OnlyId
    previous: null
  }
}

export interface PreviousContact {
  /** The unique id of the contact. Treat it as opaque. */
  id?: string
  /** E.164: a plus, the country code and the number, at most 15 digits. Unique within the workspace. */
  phone_number?: string
  first_name?: string | null
  last_name?: string | null
  display_name?: string | null
  /** Stored as sent. Several contacts may have the same email. */
  email?: string | null
  company?: string | null
  /**
   * The contact's time zone, as an IANA name. Campaigns and agents use it. Without it campaigns use the zones that the
   * number may be in, and agents use the only one that it can be in, or that of the workspace.
   */
  time_zone?: string | null
  /** Internal notes. Tabs and line breaks are allowed. */
  notes?: string | null
  /** Tags that categorize the contact. Of tags that differ only in case, the first one is kept. */
  tags?: string[]
  custom_fields?: CustomFields
  /**
   * How the contact was created. `api`: created with the API. `import`: imported from a CSV file. `manual`: created in
   * the dashboard. `inbound`: created by an inbound call or message. `webhook`: received by an integration.
   */
  source?: 'api' | 'import' | 'manual' | 'inbound' | 'webhook'
  /**
   * When the contact first wrote, called, answered a call, or was sent a message that the carrier accepted. `null` if
   * never.
   */
  first_contact_at?: string | null
  /** The same, for the last time. */
  last_contact_at?: string | null
  /** When the contact was created. */
  created_at?: string
  /** When the contact was last updated. Every update makes it later. */
  updated_at?: string
  /** The ids of this contact in external CRM systems, by the name of the system. */
  crm_ids?: Record<string, string>
}

export interface EventsStreamContactUpdated {
  /** The line `event`. */
  type: 'contact.updated'
  /** The line `id`: send the last one as `Last-Event-ID` to continue. */
  id?: string
  data: {
    id: EventId
    type: 'contact.updated'
    resource_id: EventResourceId
    created_at: EventTime
    actor: EventActor
    subject: EventSubject
    data: ContactWithCrmIds | OnlyId
    previous: PreviousContact | null
  }
}

export interface EventsStreamContactDeleted {
  /** The line `event`. */
  type: 'contact.deleted'
  /** The line `id`: send the last one as `Last-Event-ID` to continue. */
  id?: string
  data: {
    id: EventId
    type: 'contact.deleted'
    resource_id: EventResourceId
    created_at: EventTime
    actor: EventActor
    subject: EventSubject
    data: OnlyId
    previous: null
  }
}

export interface EventsStreamAgentCreated {
  /** The line `event`. */
  type: 'agent.created'
  /** The line `id`: send the last one as `Last-Event-ID` to continue. */
  id?: string
  data: {
    id: EventId
    type: 'agent.created'
    resource_id: EventResourceId
    created_at: EventTime
    actor: EventActor
    subject: EventSubject
    data: Agent
    previous: null
  }
}

export interface PreviousAgent {
  name?: string
  /** What the agent is for. `""` if not set. */
  description?: string
  /** The instructions that the agent follows. */
  instructions?: string | null
  deployed_version?: DeployedVersion
  candidate?: AgentCandidate
  /** Whether the draft differs from all of the agent's versions. */
  has_unpublished_changes?: boolean
  /**
   * `tests`: a version can only be deployed when all tests that are enabled have passed on it. Only owners may change it,
   * and API keys that list the scope `agents:force`.
   */
  deploy_requires?: 'none' | 'tests'
  /**
   * `false` while the deployed version has neither a script nor a model that can be asked: a model whose provider exists,
   * and holds an API key or needs none. The model itself is not asked.
   */
  can_answer?: boolean
  /** Why the agent can't answer, as a sentence. `null` if it can. */
  cannot_answer_reason?: string | null
}

export interface EventsStreamAgentUpdated {
  /** The line `event`. */
  type: 'agent.updated'
  /** The line `id`: send the last one as `Last-Event-ID` to continue. */
  id?: string
  data: {
    id: EventId
    type: 'agent.updated'
    resource_id: EventResourceId
    created_at: EventTime
    actor: EventActor
    subject: EventSubject
    data: Agent
    previous: PreviousAgent | null
  }
}

export interface DeployedAgent {
  /** The unique id of the agent. Treat it as opaque. */
  id: string
  name: string
  /** What the agent is for. `""` if not set. */
  description: string
  /** The instructions that the agent follows. */
  instructions: string | null
  deployed_version: DeployedVersion
  candidate: AgentCandidate
  /** Whether the draft differs from all of the agent's versions. */
  has_unpublished_changes: boolean
  /**
   * `tests`: a version can only be deployed when all tests that are enabled have passed on it. Only owners may change it,
   * and API keys that list the scope `agents:force`.
   */
  deploy_requires: 'none' | 'tests'
  /**
   * `false` while the deployed version has neither a script nor a model that can be asked: a model whose provider exists,
   * and holds an API key or needs none. The model itself is not asked.
   */
  can_answer: boolean
  /** Why the agent can't answer, as a sentence. `null` if it can. */
  cannot_answer_reason: string | null
  /** When the agent was created. */
  created_at: string
  /** When the agent was last updated. */
  updated_at: string
  /** It was deployed although tests were required and had not passed. */
  is_forced: boolean
}

export interface EventsStreamAgentDeployed {
  /** The line `event`. */
  type: 'agent.deployed'
  /** The line `id`: send the last one as `Last-Event-ID` to continue. */
  id?: string
  data: {
    id: EventId
    type: 'agent.deployed'
    resource_id: EventResourceId
    created_at: EventTime
    actor: EventActor
    subject: EventSubject
    data: DeployedAgent
    previous: PreviousAgent | null
  }
}

export interface EventsStreamAgentDeleted {
  /** The line `event`. */
  type: 'agent.deleted'
  /** The line `id`: send the last one as `Last-Event-ID` to continue. */
  id?: string
  data: {
    id: EventId
    type: 'agent.deleted'
    resource_id: EventResourceId
    created_at: EventTime
    actor: EventActor
    subject: EventSubject
    data: Agent
    previous: null
  }
}

export interface EventsStreamTestRunCompleted {
  /** The line `event`. */
  type: 'test_run.completed'
  /** The line `id`: send the last one as `Last-Event-ID` to continue. */
  id?: string
  data: {
    id: EventId
    type: 'test_run.completed'
    resource_id: EventResourceId
    created_at: EventTime
    actor: EventActor
    subject: EventSubject
    data: TestRun
    previous: null
  }
}

export interface EventsStreamConversationStarted {
  /** The line `event`. */
  type: 'conversation.started'
  /** The line `id`: send the last one as `Last-Event-ID` to continue. */
  id?: string
  data: {
    id: EventId
    type: 'conversation.started'
    resource_id: EventResourceId
    created_at: EventTime
    actor: EventActor
    subject: EventSubject
    data: Conversation
    previous: null
  }
}

export interface TurnOfConversation {
  /** The id of the conversation. */
  id: string
  contact_id: string | null
  turn: Turn
}

export interface EventsStreamConversationTurn {
  /** The line `event`. */
  type: 'conversation.turn'
  /** The line `id`: send the last one as `Last-Event-ID` to continue. */
  id?: string
  data: {
    id: EventId
    type: 'conversation.turn'
    resource_id: EventResourceId
    created_at: EventTime
    actor: EventActor
    subject: EventSubject
    data: TurnOfConversation
    previous: null
  }
}

export interface EventsStreamConversationHandedOver {
  /** The line `event`. */
  type: 'conversation.handed_over'
  /** The line `id`: send the last one as `Last-Event-ID` to continue. */
  id?: string
  data: {
    id: EventId
    type: 'conversation.handed_over'
    resource_id: EventResourceId
    created_at: EventTime
    actor: EventActor
    subject: EventSubject
    data: Conversation
    previous: null
  }
}

export interface EventsStreamConversationTakenBack {
  /** The line `event`. */
  type: 'conversation.taken_back'
  /** The line `id`: send the last one as `Last-Event-ID` to continue. */
  id?: string
  data: {
    id: EventId
    type: 'conversation.taken_back'
    resource_id: EventResourceId
    created_at: EventTime
    actor: EventActor
    subject: EventSubject
    data: Conversation
    previous: null
  }
}

export interface EventsStreamConversationClosed {
  /** The line `event`. */
  type: 'conversation.closed'
  /** The line `id`: send the last one as `Last-Event-ID` to continue. */
  id?: string
  data: {
    id: EventId
    type: 'conversation.closed'
    resource_id: EventResourceId
    created_at: EventTime
    actor: EventActor
    subject: EventSubject
    data: Conversation
    previous: null
  }
}

export interface Message {
  /** The unique id of the message. */
  id: string
  /** The conversation that it belongs to. */
  conversation_id: string
  /** The number of its turn. */
  seq: number
  status: 'queued' | 'sent' | 'delivered' | 'failed' | 'unknown'
  /** Why it was not sent or delivered. */
  error: string | null
}

export interface EventsStreamMessageReceived {
  /** The line `event`. */
  type: 'message.received'
  /** The line `id`: send the last one as `Last-Event-ID` to continue. */
  id?: string
  data: {
    id: EventId
    type: 'message.received'
    resource_id: EventResourceId
    created_at: EventTime
    actor: EventActor
    subject: EventSubject
    data: Message
    previous: null
  }
}

export interface EventsStreamMessageSent {
  /** The line `event`. */
  type: 'message.sent'
  /** The line `id`: send the last one as `Last-Event-ID` to continue. */
  id?: string
  data: {
    id: EventId
    type: 'message.sent'
    resource_id: EventResourceId
    created_at: EventTime
    actor: EventActor
    subject: EventSubject
    data: Message
    previous: null
  }
}

export interface EventsStreamMessageDelivered {
  /** The line `event`. */
  type: 'message.delivered'
  /** The line `id`: send the last one as `Last-Event-ID` to continue. */
  id?: string
  data: {
    id: EventId
    type: 'message.delivered'
    resource_id: EventResourceId
    created_at: EventTime
    actor: EventActor
    subject: EventSubject
    data: Message
    previous: null
  }
}

export interface EventsStreamMessageFailed {
  /** The line `event`. */
  type: 'message.failed'
  /** The line `id`: send the last one as `Last-Event-ID` to continue. */
  id?: string
  data: {
    id: EventId
    type: 'message.failed'
    resource_id: EventResourceId
    created_at: EventTime
    actor: EventActor
    subject: EventSubject
    data: Message
    previous: null
  }
}

export interface EventsStreamCallStarted {
  /** The line `event`. */
  type: 'call.started'
  /** The line `id`: send the last one as `Last-Event-ID` to continue. */
  id?: string
  data: {
    id: EventId
    type: 'call.started'
    resource_id: EventResourceId
    created_at: EventTime
    actor: EventActor
    subject: EventSubject
    data: Call
    previous: null
  }
}

export interface EventsStreamCallAnswered {
  /** The line `event`. */
  type: 'call.answered'
  /** The line `id`: send the last one as `Last-Event-ID` to continue. */
  id?: string
  data: {
    id: EventId
    type: 'call.answered'
    resource_id: EventResourceId
    created_at: EventTime
    actor: EventActor
    subject: EventSubject
    data: Call
    previous: null
  }
}

export interface EventsStreamCallEnded {
  /** The line `event`. */
  type: 'call.ended'
  /** The line `id`: send the last one as `Last-Event-ID` to continue. */
  id?: string
  data: {
    id: EventId
    type: 'call.ended'
    resource_id: EventResourceId
    created_at: EventTime
    actor: EventActor
    subject: EventSubject
    data: Call
    previous: null
  }
}

export interface PreviousCall {
  metadata?: Metadata
}

export interface EventsStreamCallUpdated {
  /** The line `event`. */
  type: 'call.updated'
  /** The line `id`: send the last one as `Last-Event-ID` to continue. */
  id?: string
  data: {
    id: EventId
    type: 'call.updated'
    resource_id: EventResourceId
    created_at: EventTime
    actor: EventActor
    subject: EventSubject
    data: Call
    previous: PreviousCall | null
  }
}

export interface EventsStreamCallRecordingReady {
  /** The line `event`. */
  type: 'call.recording_ready'
  /** The line `id`: send the last one as `Last-Event-ID` to continue. */
  id?: string
  data: {
    id: EventId
    type: 'call.recording_ready'
    resource_id: EventResourceId
    created_at: EventTime
    actor: EventActor
    subject: EventSubject
    data: Call
    previous: null
  }
}

export interface EventsStreamCampaignStarted {
  /** The line `event`. */
  type: 'campaign.started'
  /** The line `id`: send the last one as `Last-Event-ID` to continue. */
  id?: string
  data: {
    id: EventId
    type: 'campaign.started'
    resource_id: EventResourceId
    created_at: EventTime
    actor: EventActor
    subject: EventSubject
    data: Campaign
    previous: null
  }
}

export interface EventsStreamCampaignPaused {
  /** The line `event`. */
  type: 'campaign.paused'
  /** The line `id`: send the last one as `Last-Event-ID` to continue. */
  id?: string
  data: {
    id: EventId
    type: 'campaign.paused'
    resource_id: EventResourceId
    created_at: EventTime
    actor: EventActor
    subject: EventSubject
    data: Campaign
    previous: null
  }
}

export interface EventsStreamCampaignResumed {
  /** The line `event`. */
  type: 'campaign.resumed'
  /** The line `id`: send the last one as `Last-Event-ID` to continue. */
  id?: string
  data: {
    id: EventId
    type: 'campaign.resumed'
    resource_id: EventResourceId
    created_at: EventTime
    actor: EventActor
    subject: EventSubject
    data: Campaign
    previous: null
  }
}

export interface EventsStreamCampaignCompleted {
  /** The line `event`. */
  type: 'campaign.completed'
  /** The line `id`: send the last one as `Last-Event-ID` to continue. */
  id?: string
  data: {
    id: EventId
    type: 'campaign.completed'
    resource_id: EventResourceId
    created_at: EventTime
    actor: EventActor
    subject: EventSubject
    data: Campaign
    previous: null
  }
}

export interface EventsStreamCampaignCanceled {
  /** The line `event`. */
  type: 'campaign.canceled'
  /** The line `id`: send the last one as `Last-Event-ID` to continue. */
  id?: string
  data: {
    id: EventId
    type: 'campaign.canceled'
    resource_id: EventResourceId
    created_at: EventTime
    actor: EventActor
    subject: EventSubject
    data: Campaign
    previous: null
  }
}

export interface EventsStreamCampaignProgress {
  /** The line `event`. */
  type: 'campaign.progress'
  /** The line `id`: send the last one as `Last-Event-ID` to continue. */
  id?: string
  data: {
    id: EventId
    type: 'campaign.progress'
    resource_id: EventResourceId
    created_at: EventTime
    actor: EventActor
    subject: EventSubject
    data: Campaign
    previous: null
  }
}

export interface EventsStreamImportFinished {
  /** The line `event`. */
  type: 'import.finished'
  /** The line `id`: send the last one as `Last-Event-ID` to continue. */
  id?: string
  data: {
    id: EventId
    type: 'import.finished'
    resource_id: EventResourceId
    created_at: EventTime
    actor: EventActor
    subject: EventSubject
    data: Import
    previous: null
  }
}

export interface EventsStreamImportUndone {
  /** The line `event`. */
  type: 'import.undone'
  /** The line `id`: send the last one as `Last-Event-ID` to continue. */
  id?: string
  data: {
    id: EventId
    type: 'import.undone'
    resource_id: EventResourceId
    created_at: EventTime
    actor: EventActor
    subject: EventSubject
    data: Import
    previous: null
  }
}

export interface EventsStreamDocumentReady {
  /** The line `event`. */
  type: 'document.ready'
  /** The line `id`: send the last one as `Last-Event-ID` to continue. */
  id?: string
  data: {
    id: EventId
    type: 'document.ready'
    resource_id: EventResourceId
    created_at: EventTime
    actor: EventActor
    subject: EventSubject
    data: Document
    previous: null
  }
}

export interface EventsStreamDocumentFailed {
  /** The line `event`. */
  type: 'document.failed'
  /** The line `id`: send the last one as `Last-Event-ID` to continue. */
  id?: string
  data: {
    id: EventId
    type: 'document.failed'
    resource_id: EventResourceId
    created_at: EventTime
    actor: EventActor
    subject: EventSubject
    data: Document
    previous: null
  }
}

export interface ApiKeyNamed {
  /** The id of the key. */
  id: string
  /** What the key is for. */
  name: string
}

export interface EventsStreamApiKeyCreated {
  /** The line `event`. */
  type: 'api_key.created'
  /** The line `id`: send the last one as `Last-Event-ID` to continue. */
  id?: string
  data: {
    id: EventId
    type: 'api_key.created'
    resource_id: EventResourceId
    created_at: EventTime
    actor: EventActor
    subject: EventSubject
    data: ApiKeyNamed
    previous: null
  }
}

export interface EventsStreamApiKeyRevoked {
  /** The line `event`. */
  type: 'api_key.revoked'
  /** The line `id`: send the last one as `Last-Event-ID` to continue. */
  id?: string
  data: {
    id: EventId
    type: 'api_key.revoked'
    resource_id: EventResourceId
    created_at: EventTime
    actor: EventActor
    subject: EventSubject
    data: ApiKeyNamed
    previous: null
  }
}

export interface WebhookSummary {
  /** The unique id of the webhook. Treat it as opaque. */
  id: string
  /** The host that events are sent to, with the port unless it is the default. `null` for an inbox. */
  host: string | null
  /**
   * The event types to send, or patterns such as `contact.*`. `*` matches all types, including those of later versions,
   * except `api_key.*`, which is added by name.
   */
  events: string[]
  /** What the webhook is for. */
  description: string | null
  /** A `disabled` webhook gets no events, and its pending deliveries become `failed`. */
  status: 'active' | 'disabled'
  /**
   * Why the webhook is disabled: an update disabled it (`asked`), the endpoint answered 410 (`gone`), or all attempts
   * failed for five days, at least ten of them (`failing`).
   */
  disabled_reason: 'asked' | 'gone' | 'failing' | null
  /** When the first attempt failed since the last success. `null` when the webhook is not failing. */
  failing_since: string | null
  /** When the webhook was created. */
  created_at: string
  /** When the webhook was last changed. */
  updated_at: string
}

export interface EventsStreamWebhookDisabled {
  /** The line `event`. */
  type: 'webhook.disabled'
  /** The line `id`: send the last one as `Last-Event-ID` to continue. */
  id?: string
  data: {
    id: EventId
    type: 'webhook.disabled'
    resource_id: EventResourceId
    created_at: EventTime
    actor: EventActor
    subject: EventSubject
    data: WebhookSummary
    previous: null
  }
}

export interface EventsStreamWebhookTest {
  /** The line `event`. */
  type: 'webhook.test'
  /** The line `id`: send the last one as `Last-Event-ID` to continue. */
  id?: string
  data: {
    id: EventId
    type: 'webhook.test'
    resource_id: EventResourceId
    created_at: EventTime
    actor: EventActor
    subject: EventSubject
    data: WebhookSummary
    previous: null
  }
}

/** One event of the stream, by its `type`. */
export type EventsStreamEvent =
  | EventsStreamContactCreated
  | EventsStreamContactUpdated
  | EventsStreamContactDeleted
  | EventsStreamAgentCreated
  | EventsStreamAgentUpdated
  | EventsStreamAgentDeployed
  | EventsStreamAgentDeleted
  | EventsStreamTestRunCompleted
  | EventsStreamConversationStarted
  | EventsStreamConversationTurn
  | EventsStreamConversationHandedOver
  | EventsStreamConversationTakenBack
  | EventsStreamConversationClosed
  | EventsStreamMessageReceived
  | EventsStreamMessageSent
  | EventsStreamMessageDelivered
  | EventsStreamMessageFailed
  | EventsStreamCallStarted
  | EventsStreamCallAnswered
  | EventsStreamCallEnded
  | EventsStreamCallUpdated
  | EventsStreamCallRecordingReady
  | EventsStreamCampaignStarted
  | EventsStreamCampaignPaused
  | EventsStreamCampaignResumed
  | EventsStreamCampaignCompleted
  | EventsStreamCampaignCanceled
  | EventsStreamCampaignProgress
  | EventsStreamImportFinished
  | EventsStreamImportUndone
  | EventsStreamDocumentReady
  | EventsStreamDocumentFailed
  | EventsStreamApiKeyCreated
  | EventsStreamApiKeyRevoked
  | EventsStreamWebhookDisabled
  | EventsStreamWebhookTest

export interface NewWebhook {
  /**
   * A URL that begins with https:// or http://, on a public host, without user name and password. Or `inbox`, for a
   * built-in endpoint that stores the requests it gets.
   */
  url: string
  /**
   * The event types to send, or patterns such as `contact.*`. `*` matches all types, including those of later versions,
   * except `api_key.*`, which is added by name.
   */
  events: Array<
    | 'contact.created'
    | 'contact.updated'
    | 'contact.deleted'
    | 'agent.created'
    | 'agent.updated'
    | 'agent.deployed'
    | 'agent.deleted'
    | 'test_run.completed'
    | 'conversation.started'
    | 'conversation.turn'
    | 'conversation.handed_over'
    | 'conversation.taken_back'
    | 'conversation.closed'
    | 'message.received'
    | 'message.sent'
    | 'message.delivered'
    | 'message.failed'
    | 'call.started'
    | 'call.answered'
    | 'call.ended'
    | 'call.updated'
    | 'call.recording_ready'
    | 'campaign.started'
    | 'campaign.paused'
    | 'campaign.resumed'
    | 'campaign.completed'
    | 'campaign.canceled'
    | 'campaign.progress'
    | 'import.finished'
    | 'import.undone'
    | 'document.ready'
    | 'document.failed'
    | 'api_key.created'
    | 'api_key.revoked'
    | 'webhook.disabled'
    | 'webhook.test'
    | '*'
    | 'contact.*'
    | 'agent.*'
    | 'test_run.*'
    | 'conversation.*'
    | 'message.*'
    | 'call.*'
    | 'campaign.*'
    | 'import.*'
    | 'document.*'
    | 'api_key.*'
    | 'webhook.*'
  >
  /** What the webhook is for. */
  description?: string | null
  /**
   * For inboxes: how it answers. `hang` doesn't answer in time; `410` gets the webhook disabled. `null` for other
   * webhooks.
   */
  inbox_answer?: '200' | '500' | '410' | 'hang' | null
}

export interface WebhookWithSecret {
  /** The unique id of the webhook. Treat it as opaque. */
  id: string
  /** Where events are sent. For an inbox, its path on this server. */
  url: string
  /**
   * The event types to send, or patterns such as `contact.*`. `*` matches all types, including those of later versions,
   * except `api_key.*`, which is added by name.
   */
  events: string[]
  /** What the webhook is for. */
  description: string | null
  /** A `disabled` webhook gets no events, and its pending deliveries become `failed`. */
  status: 'active' | 'disabled'
  /**
   * Why the webhook is disabled: an update disabled it (`asked`), the endpoint answered 410 (`gone`), or all attempts
   * failed for five days, at least ten of them (`failing`).
   */
  disabled_reason: 'asked' | 'gone' | 'failing' | null
  /** When the first attempt failed since the last success. `null` when the webhook is not failing. */
  failing_since: string | null
  /** Until when the previous secret also signs requests, after a rotation. */
  previous_secret_until: string | null
  /**
   * For inboxes: how it answers. `hang` doesn't answer in time; `410` gets the webhook disabled. `null` for other
   * webhooks.
   */
  inbox_answer: '200' | '500' | '410' | 'hang' | null
  /** When the webhook was created. */
  created_at: string
  /** When the webhook was last changed. */
  updated_at: string
  /** Signs requests, by Standard Webhooks. It is returned only this once. */
  secret: string
}

export interface Webhook {
  /** The unique id of the webhook. Treat it as opaque. */
  id: string
  /** Where events are sent. For an inbox, its path on this server. */
  url: string
  /**
   * The event types to send, or patterns such as `contact.*`. `*` matches all types, including those of later versions,
   * except `api_key.*`, which is added by name.
   */
  events: string[]
  /** What the webhook is for. */
  description: string | null
  /** A `disabled` webhook gets no events, and its pending deliveries become `failed`. */
  status: 'active' | 'disabled'
  /**
   * Why the webhook is disabled: an update disabled it (`asked`), the endpoint answered 410 (`gone`), or all attempts
   * failed for five days, at least ten of them (`failing`).
   */
  disabled_reason: 'asked' | 'gone' | 'failing' | null
  /** When the first attempt failed since the last success. `null` when the webhook is not failing. */
  failing_since: string | null
  /** Until when the previous secret also signs requests, after a rotation. */
  previous_secret_until: string | null
  /**
   * For inboxes: how it answers. `hang` doesn't answer in time; `410` gets the webhook disabled. `null` for other
   * webhooks.
   */
  inbox_answer: '200' | '500' | '410' | 'hang' | null
  /** When the webhook was created. */
  created_at: string
  /** When the webhook was last changed. */
  updated_at: string
}

export interface WebhookChange {
  /**
   * A URL that begins with https:// or http://, on a public host, without user name and password. Or `inbox`, for a
   * built-in endpoint that stores the requests it gets.
   */
  url?: string
  /**
   * The event types to send, or patterns such as `contact.*`. `*` matches all types, including those of later versions,
   * except `api_key.*`, which is added by name.
   */
  events?: Array<
    | 'contact.created'
    | 'contact.updated'
    | 'contact.deleted'
    | 'agent.created'
    | 'agent.updated'
    | 'agent.deployed'
    | 'agent.deleted'
    | 'test_run.completed'
    | 'conversation.started'
    | 'conversation.turn'
    | 'conversation.handed_over'
    | 'conversation.taken_back'
    | 'conversation.closed'
    | 'message.received'
    | 'message.sent'
    | 'message.delivered'
    | 'message.failed'
    | 'call.started'
    | 'call.answered'
    | 'call.ended'
    | 'call.updated'
    | 'call.recording_ready'
    | 'campaign.started'
    | 'campaign.paused'
    | 'campaign.resumed'
    | 'campaign.completed'
    | 'campaign.canceled'
    | 'campaign.progress'
    | 'import.finished'
    | 'import.undone'
    | 'document.ready'
    | 'document.failed'
    | 'api_key.created'
    | 'api_key.revoked'
    | 'webhook.disabled'
    | 'webhook.test'
    | '*'
    | 'contact.*'
    | 'agent.*'
    | 'test_run.*'
    | 'conversation.*'
    | 'message.*'
    | 'call.*'
    | 'campaign.*'
    | 'import.*'
    | 'document.*'
    | 'api_key.*'
    | 'webhook.*'
  >
  /** What the webhook is for. */
  description?: string | null
  /**
   * For inboxes: how it answers. `hang` doesn't answer in time; `410` gets the webhook disabled. `null` for other
   * webhooks.
   */
  inbox_answer?: '200' | '500' | '410' | 'hang' | null
  /** `active` enables the webhook again. Deliveries that failed before are not sent again, except by "Recover deliveries". */
  status?: 'active' | 'disabled'
}

/**
 * The latest attempt. `null` before the first one, in the response of a resend, and for keys without the scope of the
 * event: `call.ended`, for example, requires `calls:read`.
 */
export type LastAttempt = {
  /** The URL that was called. `null` for old attempts: the URL of the webhook at that time. */
  url: string | null
  /** When the attempt started. The header `webhook-timestamp` has it in seconds. */
  created_at: string
  /** The status code of the response. `null` when there was none. */
  status: number | null
  /** How long the attempt took. */
  duration_ms: number
  /** Why there was no response. */
  error: string | null
  /** The first kilobyte of the response. `null` when the contact that the event is about was deleted. */
  answer: string | null
} | null

export interface Delivery {
  /** The event's identifier, and the header `webhook-id`. */
  id: string
  /** The webhook that it is sent to. */
  webhook_id: string
  /** The type of the event. */
  type: string
  /** `pending` until an attempt has `succeeded`, or the last one has `failed`. */
  status: 'pending' | 'succeeded' | 'failed'
  /** The number of attempts, since the last resend if there was one. */
  attempt: number
  /** When the event happened. */
  created_at: string
  /** When the next attempt is due. `null` when there will be none. */
  due_at: string | null
  last_attempt: LastAttempt
}

export interface DeliveryCounts {
  /** The current hour and the 23 before it, oldest first. */
  hours: Array<{
    /** When the hour begins. */
    start: string
    /** How many have succeeded. */
    succeeded: number
    /** How many have failed. */
    failed: number
    /** How many are pending. */
    pending: number
  }>
  /** Whether these are all deliveries of these hours. Only the latest 10,000 are counted. */
  is_complete: boolean
}

export interface Attempt {
  /** The URL that was called. `null` for old attempts: the URL of the webhook at that time. */
  url: string | null
  /** When the attempt started. The header `webhook-timestamp` has it in seconds. */
  created_at: string
  /** The status code of the response. `null` when there was none. */
  status: number | null
  /** How long the attempt took. */
  duration_ms: number
  /** Why there was no response. */
  error: string | null
  /** The first kilobyte of the response. `null` when the contact that the event is about was deleted. */
  answer: string | null
}

export interface DeliveryWithAttempts {
  /** The event's identifier, and the header `webhook-id`. */
  id: string
  /** The webhook that it is sent to. */
  webhook_id: string
  /** The type of the event. */
  type: string
  /** `pending` until an attempt has `succeeded`, or the last one has `failed`. */
  status: 'pending' | 'succeeded' | 'failed'
  /** The number of attempts, since the last resend if there was one. */
  attempt: number
  /** When the event happened. */
  created_at: string
  /** When the next attempt is due. `null` when there will be none. */
  due_at: string | null
  /** The body of the request, byte for byte. */
  body: string
  /** The latest 20, oldest first. */
  attempts: Attempt[]
}

export interface NewRecovery {
  /** Only events since this time are sent. */
  since: string
  /** Only events until this time are sent. The default is now. */
  until?: string | null
}

export interface Recovery {
  /** Unique identifier; treat it as opaque. */
  id: string
  /** `running` until all deliveries are due, or the webhook is disabled. */
  status: 'running' | 'finished'
  /** Only events since this time are sent. */
  since: string
  /** Only events until this time are sent. */
  until: string
  /** How many deliveries are sent so far. */
  recovered: number
  /** When the recovery was started. */
  created_at: string
  /** When the recovery was finished. `null` while it is running. */
  finished_at: string | null
}

export interface InboxRequest {
  /** The unique id of the request. */
  id: string
  /** The headers of the request, with lower-case names. */
  headers: Record<string, string>
  /** The body of the request. Empty when the contact that it is about was deleted meanwhile. */
  body: string
  /** How the inbox answered. */
  answered: '200' | '500' | '410' | 'hang'
  /** The steps of the signature check, as any receiver does it. */
  steps: Array<{
    name: string
    is_ok: boolean
    detail: string
  }>
  /** When the request was received. */
  created_at: string
}

export interface Overview {
  contacts: {
    /** The number of contacts. */
    total: number
    /** The number of contacts created in the last seven days in UTC, including today. */
    new_this_week: number
    by_source: {
      /** The number of contacts with the source `api`. */
      api: number
      /** The number of contacts with the source `import`. */
      import: number
      /** The number of contacts with the source `manual`. */
      manual: number
      /** The number of contacts with the source `inbound`. */
      inbound: number
      /** The number of contacts with the source `webhook`. */
      webhook: number
    }
  }
  /** Each of the last 30 days, oldest first. */
  added_by_day: Array<{
    /** A day in UTC. */
    day: string
    /** The number of contacts created on this day. */
    total: number
  }>
  /** The latest ten events, newest first. */
  events: Array<{
    /** The id of the event. */
    id: string
    type: string
    /** The id of the resource that changed. */
    resource_id: string
    /** When the event happened. */
    created_at: string
  }>
}

export interface TestClock {
  /** The time in the workspace. */
  now: string
  /** `advancing` until the clock has reached its `target`, or has stopped with an `error`. */
  status: 'ready' | 'advancing'
  /** While the clock is advancing: the time at which it will stop. `now` may reach it before the `status` is `ready`. */
  target: string | null
  /** Chosen when the workspace is created. What is simulated in the workspace depends on it. */
  seed: number
  /** Why the last advance has ended before its target: it made no progress for a minute. The next advance clears it. */
  error: string | null
}

export interface Advance {
  /** The time to advance to, after `now`. A clock can't go back. */
  to?: string
  /** How far to advance, at most 366 days. */
  by_seconds?: number
}

/**
 * The country of phone numbers that people type in the dashboard without a country code. The API, imports and
 * integrations do not use it.
 */
export type DashboardCountry = string | null

export type CountryCode = string

export interface Workspace {
  /** The unique id of the workspace. Treat it as opaque. */
  id: string
  /** No other workspace of the service can have it. */
  name: string
  /** The time of a `test` workspace is that of its test clock. It can't be changed. */
  kind: 'live' | 'test'
  /** What applies to the whole workspace. */
  settings: {
    default_country: DashboardCountry
    /**
     * Whether people must sign in with two factors to use this workspace in the dashboard. API keys are not affected, and
     * can't change this setting.
     */
    requires_two_factor: boolean
    /** For how many days after it began a conversation is kept, if it is closed. Not for calls. `null` keeps them forever. */
    conversations_keep_days: number | null
    /** For how many days a call is kept, with its transcript and recording, if it is over. `null` keeps them forever. */
    calls_keep_days: number | null
    /** For how many days the recordings of calls are kept. `null` keeps them forever. */
    recordings_keep_days: number | null
    /** For how many days the runs of tools are kept. `null` keeps them forever. */
    tool_runs_keep_days: number | null
    /** How many tokens the agents of the workspace can use in a day. */
    tokens_per_day_max: number
    /** How many calls can be queued, ringing or in progress at a time. */
    calls_in_flight_max: number
    /**
     * The time zone in which agents talk about dates and times, as an IANA name, if that of the contact is not known:
     * neither from its `time_zone` nor from its number.
     */
    time_zone: string
    /**
     * The countries whose numbers can be called and written to, as two letters such as `US`. `null` allows those of the
     * workspace's own numbers, and in a test workspace all. An empty list allows none.
     */
    allowed_countries: CountryCode[] | null
    /**
     * Only in a test workspace, else `null`: whether agents may ask models and tools over the network. What they answer can
     * differ from run to run.
     */
    allows_network: boolean | null
    /**
     * Only in a test workspace, else `null`: how calls and messages to numbers that end in 20 to 99 turn out, in percent.
     * The sum is 100.
     */
    mix: {
      answered: number
      no_answer: number
      voicemail: number
      busy: number
      rejected: number
      unreachable: number
      error: number
    } | null
    /** What is used to compute `cost_micros`, in millionths of the currency. */
    prices: {
      /** Three letters, as in ISO 4217. */
      currency: string
      /** For a million tokens that models read, in millionths. */
      input_tokens_per_million: number
      /** For a million tokens that models write, in millionths. */
      output_tokens_per_million: number
      /** For a minute of a call; seconds count in proportion, in millionths. */
      call_minute: number
      /** For a segment of an SMS, in millionths. */
      message_segment: number
      /** For a minute of sound that providers have heard or made in a call; seconds count in proportion, in millionths. */
      speech_minute: number
    }
    /**
     * Between which hours campaigns may reach people, and agents may call them back as agreed, in the time zone of each
     * person. No campaign can widen them.
     */
    quiet_hours: {
      /** Hours and minutes. */
      start: string
      /** Hours and minutes, exclusive. */
      end: string
    }
  }
  /** When the workspace was created. */
  created_at: string
  /** When the workspace was last changed. */
  updated_at: string
}

export interface WorkspaceChange {
  /** No other workspace of the service can have it. */
  name?: string
  /** Members that are left out keep their values, also those of `prices`, `quiet_hours` and `mix`. */
  settings?: {
    default_country?: DashboardCountry
    /**
     * Whether people must sign in with two factors to use this workspace in the dashboard. API keys are not affected, and
     * can't change this setting.
     */
    requires_two_factor?: boolean
    /** For how many days after it began a conversation is kept, if it is closed. Not for calls. `null` keeps them forever. */
    conversations_keep_days?: number | null
    /** For how many days a call is kept, with its transcript and recording, if it is over. `null` keeps them forever. */
    calls_keep_days?: number | null
    /** For how many days the recordings of calls are kept. `null` keeps them forever. */
    recordings_keep_days?: number | null
    /** For how many days the runs of tools are kept. `null` keeps them forever. */
    tool_runs_keep_days?: number | null
    /** How many tokens the agents of the workspace can use in a day. */
    tokens_per_day_max?: number
    /** How many calls can be queued, ringing or in progress at a time. */
    calls_in_flight_max?: number
    /**
     * The time zone in which agents talk about dates and times, as an IANA name, if that of the contact is not known:
     * neither from its `time_zone` nor from its number.
     */
    time_zone?: string
    /**
     * The countries whose numbers can be called and written to, as two letters such as `US`. `null` allows those of the
     * workspace's own numbers, and in a test workspace all. An empty list allows none.
     */
    allowed_countries?: CountryCode[] | null
    /**
     * Only in a test workspace, else `null`: whether agents may ask models and tools over the network. What they answer can
     * differ from run to run.
     */
    allows_network?: boolean | null
    /**
     * Only in a test workspace, else `null`: how calls and messages to numbers that end in 20 to 99 turn out, in percent.
     * The sum is 100.
     */
    mix?: {
      answered?: number
      no_answer?: number
      voicemail?: number
      busy?: number
      rejected?: number
      unreachable?: number
      error?: number
    } | null
    /** What is used to compute `cost_micros`, in millionths of the currency. */
    prices?: {
      /** Three letters, as in ISO 4217. */
      currency?: string
      /** For a million tokens that models read, in millionths. */
      input_tokens_per_million?: number
      /** For a million tokens that models write, in millionths. */
      output_tokens_per_million?: number
      /** For a minute of a call; seconds count in proportion, in millionths. */
      call_minute?: number
      /** For a segment of an SMS, in millionths. */
      message_segment?: number
      /** For a minute of sound that providers have heard or made in a call; seconds count in proportion, in millionths. */
      speech_minute?: number
    }
    /**
     * Between which hours campaigns may reach people, and agents may call them back as agreed, in the time zone of each
     * person. No campaign can widen them.
     */
    quiet_hours?: {
      /** Hours and minutes. */
      start?: string
      /** Hours and minutes, exclusive. */
      end?: string
    }
  }
}

/** Who or what has done it. */
export interface EntryActor {
  /** What it is. */
  type: 'key' | 'person' | 'agent' | 'integration' | 'operator' | 'system'
  /** Its id. `null` for `operator`, who uses the command line, and for `system`, the service itself. */
  id: string | null
  /** Its name of now. `null` if it has none, or does not exist any more. */
  name: string | null
}

/** What it was done to. `null` for what is about no single resource, such as an export. */
export type EntrySubject = {
  /** What it is, such as `contact`. */
  type: string
  /** Its id. */
  id: string | null
  /** Its name of now. `null` if it has none, or does not exist any more. */
  name: string | null
} | null

export interface AuditEntry {
  /** The unique id of the entry. Treat it as opaque. */
  id: string
  /** When it happened, in real time, also in test workspaces. */
  at: string
  actor: EntryActor
  /**
   * What was done: the name of an operation, such as `agents.deploy`. Some are not part of this API: `session.create` is
   * a sign-in, `session.create_failed` a wrong password. More may be added.
   */
  action: string
  subject: EntrySubject
  /** The IP address of the client. `null` for commands. */
  ip: string | null
  /** The `X-Request-Id` of the response. `null` for commands. */
  request_id: string | null
  /**
   * How often it happened. Wrong passwords, and downloads of the same file by the same actor, are one entry for each
   * minute. Parts of a recording that a player gets later, because someone seeks, belong to an entry of the last hour.
   */
  count: number
}

export interface ApiKey {
  /** The unique id of the key. Treat it as opaque. */
  id: string
  /** What the key is for. */
  name: string
  /** The last four characters of the key. */
  last_four: string
  /**
   * What the key may do. `null` means all scopes, including those that later versions add, except `api_keys:read`,
   * `api_keys:write`, `audit:read`, `agents:force` and `contacts:erase`, which must be listed.
   */
  scopes: string[] | null
  /** When the key expires. `null` if it never expires. */
  expires_at: string | null
  /** When the key was revoked. `null` if it was not. */
  revoked_at: string | null
  /** When another key replaced this one, which expires at `expires_at`. `null` if it was not rotated. */
  rotated_at: string | null
  /** When the key was last used. Updated within a few seconds; `null` if it was never used. */
  last_used_at: string | null
  /** When the key was created. */
  created_at: string
}

export interface NewApiKey {
  /** What the key is for. */
  name: string
  /**
   * What the key may do. `null` means all scopes, including those that later versions add, except `api_keys:read`,
   * `api_keys:write`, `audit:read`, `agents:force` and `contacts:erase`, which must be listed.
   */
  scopes?: Array<
    | 'agents:force'
    | 'agents:read'
    | 'agents:write'
    | 'analytics:read'
    | 'api_keys:read'
    | 'api_keys:write'
    | 'audit:read'
    | 'calls:read'
    | 'calls:write'
    | 'campaigns:read'
    | 'campaigns:write'
    | 'channels:read'
    | 'consents:read'
    | 'consents:write'
    | 'contacts:erase'
    | 'contacts:read'
    | 'contacts:write'
    | 'conversations:read'
    | 'conversations:write'
    | 'documents:read'
    | 'documents:write'
    | 'events:read'
    | 'integrations:read'
    | 'integrations:write'
    | 'overview:read'
    | 'providers:read'
    | 'providers:write'
    | 'recordings:read'
    | 'recordings:write'
    | 'test_clock:read'
    | 'test_clock:write'
    | 'tools:read'
    | 'tools:write'
    | 'webhooks:read'
    | 'webhooks:write'
    | 'workspace:read'
    | 'workspace:write'
  > | null
  /** When the key expires. `null` if it never expires. */
  expires_at?: string | null
}

export interface ApiKeyWithSecret {
  /** The unique id of the key. Treat it as opaque. */
  id: string
  /** What the key is for. */
  name: string
  /** The last four characters of the key. */
  last_four: string
  /**
   * What the key may do. `null` means all scopes, including those that later versions add, except `api_keys:read`,
   * `api_keys:write`, `audit:read`, `agents:force` and `contacts:erase`, which must be listed.
   */
  scopes: string[] | null
  /** When the key expires. `null` if it never expires. */
  expires_at: string | null
  /** When the key was revoked. `null` if it was not. */
  revoked_at: string | null
  /** When another key replaced this one, which expires at `expires_at`. `null` if it was not rotated. */
  rotated_at: string | null
  /** When the key was last used. Updated within a few seconds; `null` if it was never used. */
  last_used_at: string | null
  /** When the key was created. */
  created_at: string
  /** The key. Store it now: you can't retrieve it again. */
  key: string
}

export interface Rotation {
  /** How long the old key still works. */
  overlap_seconds: number
}

export interface Received {
  /** The receipt of this request, or of the first one with the same `webhook-id`. */
  receipt_id: string
  /** What happened to the contact. `repeated`: a request with the same `webhook-id` was accepted before. */
  outcome: 'created' | 'updated' | 'unchanged' | 'repeated'
  /** The contact that was created, updated or found; `null` if `repeated`. */
  contact_id: string | null
}

export interface InboxAnswer {
  answer: '200' | '500' | '410' | 'hang'
}

/** The workspace in which it happened. */
export type EventWorkspaceId = string

/** Who or what has caused it. Not part of events from before this was recorded. */
export interface PayloadActor {
  /** What it is. */
  type: 'key' | 'person' | 'agent' | 'integration' | 'operator' | 'system'
  /** Its id. `null` for `operator`, who uses the command line, and for `system`, the service itself. */
  id: string | null
}

/** What it is about. Not part of events from before this was recorded. */
export interface ContactSubject {
  type: 'contact'
  /** Its id. */
  id: string
}

export interface ContactCreatedEvent {
  id: EventId
  type: 'contact.created'
  timestamp: EventTime
  workspace_id: EventWorkspaceId
  actor?: PayloadActor
  subject?: ContactSubject
  data: ContactWithCrmIds | OnlyId
}

export interface ContactUpdatedEvent {
  id: EventId
  type: 'contact.updated'
  timestamp: EventTime
  workspace_id: EventWorkspaceId
  actor?: PayloadActor
  subject?: ContactSubject
  data: ContactWithCrmIds | OnlyId
  previous?: PreviousContact
}

export interface ContactDeletedEvent {
  id: EventId
  type: 'contact.deleted'
  timestamp: EventTime
  workspace_id: EventWorkspaceId
  actor?: PayloadActor
  subject?: ContactSubject
  data: OnlyId
}

/** What it is about. Not part of events from before this was recorded. */
export interface AgentSubject {
  type: 'agent'
  /** Its id. */
  id: string
}

export interface AgentCreatedEvent {
  id: EventId
  type: 'agent.created'
  timestamp: EventTime
  workspace_id: EventWorkspaceId
  actor?: PayloadActor
  subject?: AgentSubject
  data: Agent
}

export interface AgentUpdatedEvent {
  id: EventId
  type: 'agent.updated'
  timestamp: EventTime
  workspace_id: EventWorkspaceId
  actor?: PayloadActor
  subject?: AgentSubject
  data: Agent
  previous?: PreviousAgent
}

export interface AgentDeployedEvent {
  id: EventId
  type: 'agent.deployed'
  timestamp: EventTime
  workspace_id: EventWorkspaceId
  actor?: PayloadActor
  subject?: AgentSubject
  data: DeployedAgent
  previous?: PreviousAgent
}

export interface AgentDeletedEvent {
  id: EventId
  type: 'agent.deleted'
  timestamp: EventTime
  workspace_id: EventWorkspaceId
  actor?: PayloadActor
  subject?: AgentSubject
  data: Agent
}

/** What it is about. Not part of events from before this was recorded. */
export interface TestRunSubject {
  type: 'test_run'
  /** Its id. */
  id: string
}

export interface TestRunCompletedEvent {
  id: EventId
  type: 'test_run.completed'
  timestamp: EventTime
  workspace_id: EventWorkspaceId
  actor?: PayloadActor
  subject?: TestRunSubject
  data: TestRun
}

/** What it is about. Not part of events from before this was recorded. */
export interface ConversationSubject {
  type: 'conversation'
  /** Its id. */
  id: string
}

export interface ConversationStartedEvent {
  id: EventId
  type: 'conversation.started'
  timestamp: EventTime
  workspace_id: EventWorkspaceId
  actor?: PayloadActor
  subject?: ConversationSubject
  data: Conversation
}

export interface ConversationTurnEvent {
  id: EventId
  type: 'conversation.turn'
  timestamp: EventTime
  workspace_id: EventWorkspaceId
  actor?: PayloadActor
  subject?: ConversationSubject
  data: TurnOfConversation
}

export interface ConversationHandedOverEvent {
  id: EventId
  type: 'conversation.handed_over'
  timestamp: EventTime
  workspace_id: EventWorkspaceId
  actor?: PayloadActor
  subject?: ConversationSubject
  data: Conversation
}

export interface ConversationTakenBackEvent {
  id: EventId
  type: 'conversation.taken_back'
  timestamp: EventTime
  workspace_id: EventWorkspaceId
  actor?: PayloadActor
  subject?: ConversationSubject
  data: Conversation
}

export interface ConversationClosedEvent {
  id: EventId
  type: 'conversation.closed'
  timestamp: EventTime
  workspace_id: EventWorkspaceId
  actor?: PayloadActor
  subject?: ConversationSubject
  data: Conversation
}

/** What it is about. Not part of events from before this was recorded. */
export interface MessageSubject {
  type: 'message'
  /** Its id. */
  id: string
}

export interface MessageReceivedEvent {
  id: EventId
  type: 'message.received'
  timestamp: EventTime
  workspace_id: EventWorkspaceId
  actor?: PayloadActor
  subject?: MessageSubject
  data: Message
}

export interface MessageSentEvent {
  id: EventId
  type: 'message.sent'
  timestamp: EventTime
  workspace_id: EventWorkspaceId
  actor?: PayloadActor
  subject?: MessageSubject
  data: Message
}

export interface MessageDeliveredEvent {
  id: EventId
  type: 'message.delivered'
  timestamp: EventTime
  workspace_id: EventWorkspaceId
  actor?: PayloadActor
  subject?: MessageSubject
  data: Message
}

export interface MessageFailedEvent {
  id: EventId
  type: 'message.failed'
  timestamp: EventTime
  workspace_id: EventWorkspaceId
  actor?: PayloadActor
  subject?: MessageSubject
  data: Message
}

/** What it is about. Not part of events from before this was recorded. */
export interface CallSubject {
  type: 'call'
  /** Its id. */
  id: string
}

export interface CallStartedEvent {
  id: EventId
  type: 'call.started'
  timestamp: EventTime
  workspace_id: EventWorkspaceId
  actor?: PayloadActor
  subject?: CallSubject
  data: Call
}

export interface CallAnsweredEvent {
  id: EventId
  type: 'call.answered'
  timestamp: EventTime
  workspace_id: EventWorkspaceId
  actor?: PayloadActor
  subject?: CallSubject
  data: Call
}

export interface CallEndedEvent {
  id: EventId
  type: 'call.ended'
  timestamp: EventTime
  workspace_id: EventWorkspaceId
  actor?: PayloadActor
  subject?: CallSubject
  data: Call
}

export interface CallUpdatedEvent {
  id: EventId
  type: 'call.updated'
  timestamp: EventTime
  workspace_id: EventWorkspaceId
  actor?: PayloadActor
  subject?: CallSubject
  data: Call
  previous?: PreviousCall
}

export interface CallRecordingReadyEvent {
  id: EventId
  type: 'call.recording_ready'
  timestamp: EventTime
  workspace_id: EventWorkspaceId
  actor?: PayloadActor
  subject?: CallSubject
  data: Call
}

/** What it is about. Not part of events from before this was recorded. */
export interface CampaignSubject {
  type: 'campaign'
  /** Its id. */
  id: string
}

export interface CampaignStartedEvent {
  id: EventId
  type: 'campaign.started'
  timestamp: EventTime
  workspace_id: EventWorkspaceId
  actor?: PayloadActor
  subject?: CampaignSubject
  data: Campaign
}

export interface CampaignPausedEvent {
  id: EventId
  type: 'campaign.paused'
  timestamp: EventTime
  workspace_id: EventWorkspaceId
  actor?: PayloadActor
  subject?: CampaignSubject
  data: Campaign
}

export interface CampaignResumedEvent {
  id: EventId
  type: 'campaign.resumed'
  timestamp: EventTime
  workspace_id: EventWorkspaceId
  actor?: PayloadActor
  subject?: CampaignSubject
  data: Campaign
}

export interface CampaignCompletedEvent {
  id: EventId
  type: 'campaign.completed'
  timestamp: EventTime
  workspace_id: EventWorkspaceId
  actor?: PayloadActor
  subject?: CampaignSubject
  data: Campaign
}

export interface CampaignCanceledEvent {
  id: EventId
  type: 'campaign.canceled'
  timestamp: EventTime
  workspace_id: EventWorkspaceId
  actor?: PayloadActor
  subject?: CampaignSubject
  data: Campaign
}

export interface CampaignProgressEvent {
  id: EventId
  type: 'campaign.progress'
  timestamp: EventTime
  workspace_id: EventWorkspaceId
  actor?: PayloadActor
  subject?: CampaignSubject
  data: Campaign
}

/** What it is about. Not part of events from before this was recorded. */
export interface ImportSubject {
  type: 'import'
  /** Its id. */
  id: string
}

export interface ImportFinishedEvent {
  id: EventId
  type: 'import.finished'
  timestamp: EventTime
  workspace_id: EventWorkspaceId
  actor?: PayloadActor
  subject?: ImportSubject
  data: Import
}

export interface ImportUndoneEvent {
  id: EventId
  type: 'import.undone'
  timestamp: EventTime
  workspace_id: EventWorkspaceId
  actor?: PayloadActor
  subject?: ImportSubject
  data: Import
}

/** What it is about. Not part of events from before this was recorded. */
export interface DocumentSubject {
  type: 'document'
  /** Its id. */
  id: string
}

export interface DocumentReadyEvent {
  id: EventId
  type: 'document.ready'
  timestamp: EventTime
  workspace_id: EventWorkspaceId
  actor?: PayloadActor
  subject?: DocumentSubject
  data: Document
}

export interface DocumentFailedEvent {
  id: EventId
  type: 'document.failed'
  timestamp: EventTime
  workspace_id: EventWorkspaceId
  actor?: PayloadActor
  subject?: DocumentSubject
  data: Document
}

/** What it is about. Not part of events from before this was recorded. */
export interface ApiKeySubject {
  type: 'api_key'
  /** Its id. */
  id: string
}

export interface ApiKeyCreatedEvent {
  id: EventId
  type: 'api_key.created'
  timestamp: EventTime
  workspace_id: EventWorkspaceId
  actor?: PayloadActor
  subject?: ApiKeySubject
  data: ApiKeyNamed
}

export interface ApiKeyRevokedEvent {
  id: EventId
  type: 'api_key.revoked'
  timestamp: EventTime
  workspace_id: EventWorkspaceId
  actor?: PayloadActor
  subject?: ApiKeySubject
  data: ApiKeyNamed
}

/** What it is about. Not part of events from before this was recorded. */
export interface WebhookSubject {
  type: 'webhook'
  /** Its id. */
  id: string
}

export interface WebhookDisabledEvent {
  id: EventId
  type: 'webhook.disabled'
  timestamp: EventTime
  workspace_id: EventWorkspaceId
  actor?: PayloadActor
  subject?: WebhookSubject
  data: WebhookSummary
}

export interface WebhookTestEvent {
  id: EventId
  type: 'webhook.test'
  timestamp: EventTime
  workspace_id: EventWorkspaceId
  actor?: PayloadActor
  subject?: WebhookSubject
  data: WebhookSummary
}

export interface ContactsListQuery {
  /** The maximum number of items to return. */
  limit?: number
  /** The number of items to skip. */
  offset?: number
  /**
   * `pagination.next_cursor` of the previous page. Unlike `offset`, a cursor never skips or repeats items when others are
   * added, and deep pages are as fast as the first. Can't be used with `offset`.
   */
  cursor?: string
  /**
   * Returns contacts that have every word of this text, in any order, as a part of their phone number, first name, last
   * name, display name, email or company. Ignores case and accents. Digits with spaces, dots, dashes, brackets or `+` are
   * one word, and also match the digits of the phone number: `(415) 555-1003` finds `+14155551003`. In a search of more
   * than ten words, what follows the ninth is found as it is. `%`, `_` and `\` are plain characters.
   */
  search?: string
  /** Returns contacts that have this tag. Ignores case. Repeat the parameter to require several tags. */
  tag?: string | string[]
  /**
   * Returns contacts whose custom field has this value: `plan:gold`. Numbers and booleans are compared by their text:
   * `seats:12`, `is_partner:true`. Repeat the parameter to require several.
   */
  custom_field?: string | string[]
  /** Returns the contact that has exactly this phone number. Write `+` as `%2B` in a URL. */
  phone_number?: string
  /** Returns contacts that have exactly this email. Ignores the case of the letters A to Z. */
  email?: string
  /** Returns contacts that were created in this way. */
  source?: 'api' | 'import' | 'manual' | 'inbound' | 'webhook'
  /** Returns contacts that were created after this time. */
  created_after?: string
  /** Returns contacts that were created before this time. */
  created_before?: string
  /** Used together with `crm_id`: returns the contact that has this id in this CRM system. */
  crm_system?: string
  /** Used together with `crm_system`. */
  crm_id?: string
  /** The field to sort by. A minus sorts in descending order. Contacts without a value come last. */
  sort?: 'created_at' | '-created_at' | 'updated_at' | '-updated_at' | 'last_contact_at' | '-last_contact_at'
}

export interface ContactsExportQuery {
  /**
   * Returns contacts that have every word of this text, in any order, as a part of their phone number, first name, last
   * name, display name, email or company. Ignores case and accents. Digits with spaces, dots, dashes, brackets or `+` are
   * one word, and also match the digits of the phone number: `(415) 555-1003` finds `+14155551003`. In a search of more
   * than ten words, what follows the ninth is found as it is. `%`, `_` and `\` are plain characters.
   */
  search?: string
  /** Returns contacts that have this tag. Ignores case. Repeat the parameter to require several tags. */
  tag?: string | string[]
  /**
   * Returns contacts whose custom field has this value: `plan:gold`. Numbers and booleans are compared by their text:
   * `seats:12`, `is_partner:true`. Repeat the parameter to require several.
   */
  custom_field?: string | string[]
  /** Returns the contact that has exactly this phone number. Write `+` as `%2B` in a URL. */
  phone_number?: string
  /** Returns contacts that have exactly this email. Ignores the case of the letters A to Z. */
  email?: string
  /** Returns contacts that were created in this way. */
  source?: 'api' | 'import' | 'manual' | 'inbound' | 'webhook'
  /** Returns contacts that were created after this time. */
  created_after?: string
  /** Returns contacts that were created before this time. */
  created_before?: string
  /** Used together with `crm_id`: returns the contact that has this id in this CRM system. */
  crm_system?: string
  /** Used together with `crm_system`. */
  crm_id?: string
  /** The field to sort by. A minus sorts in descending order. Contacts without a value come last. */
  sort?: 'created_at' | '-created_at' | 'updated_at' | '-updated_at' | 'last_contact_at' | '-last_contact_at'
}

export interface ImportsListQuery {
  /** The maximum number of items to return. */
  limit?: number
  /** The number of items to skip. */
  offset?: number
  /**
   * `pagination.next_cursor` of the previous page. Unlike `offset`, a cursor never skips or repeats items when others are
   * added, and deep pages are as fast as the first. Can't be used with `offset`.
   */
  cursor?: string
}

export interface ImportsListRowsQuery {
  /** The maximum number of items to return. */
  limit?: number
  /** The number of items to skip. */
  offset?: number
  /**
   * `pagination.next_cursor` of the previous page. Unlike `offset`, a cursor never skips or repeats items when others are
   * added, and deep pages are as fast as the first. Can't be used with `offset`.
   */
  cursor?: string
  /** Only rows with this outcome. */
  outcome?: 'created' | 'updated' | 'skipped' | 'refused'
}

export interface ImportsDownloadRowsQuery {
  /** Only rows with this outcome. */
  outcome?: 'created' | 'updated' | 'skipped' | 'refused'
}

export interface IntegrationsListQuery {
  /** The maximum number of items to return. */
  limit?: number
  /** The number of items to skip. */
  offset?: number
  /**
   * `pagination.next_cursor` of the previous page. Unlike `offset`, a cursor never skips or repeats items when others are
   * added, and deep pages are as fast as the first. Can't be used with `offset`.
   */
  cursor?: string
}

export interface IntegrationsListReceiptsQuery {
  /** The maximum number of items to return. */
  limit?: number
  /** The number of items to skip. */
  offset?: number
  /**
   * `pagination.next_cursor` of the previous page. Unlike `offset`, a cursor never skips or repeats items when others are
   * added, and deep pages are as fast as the first. Can't be used with `offset`.
   */
  cursor?: string
  /** Only receipts with this outcome. */
  outcome?: 'created' | 'updated' | 'unchanged' | 'refused'
}

export interface ConsentsListOfContactQuery {
  /** The maximum number of items to return. */
  limit?: number
  /** The number of items to skip. */
  offset?: number
  /**
   * `pagination.next_cursor` of the previous page. Unlike `offset`, a cursor never skips or repeats items when others are
   * added, and deep pages are as fast as the first. Can't be used with `offset`.
   */
  cursor?: string
}

export interface ConsentsListQuery {
  /** The maximum number of items to return. */
  limit?: number
  /** The number of items to skip. */
  offset?: number
  /**
   * `pagination.next_cursor` of the previous page. Unlike `offset`, a cursor never skips or repeats items when others are
   * added, and deep pages are as fast as the first. Can't be used with `offset`.
   */
  cursor?: string
  /** Returns entries of this kind. */
  kind?: 'voice' | 'sms' | 'all'
  /** Returns entries with this status. */
  status?: 'granted' | 'revoked'
}

export interface SuppressionsListQuery {
  /** The maximum number of items to return. */
  limit?: number
  /** The number of items to skip. */
  offset?: number
  /**
   * `pagination.next_cursor` of the previous page. Unlike `offset`, a cursor never skips or repeats items when others are
   * added, and deep pages are as fast as the first. Can't be used with `offset`.
   */
  cursor?: string
  /** Returns the suppressions of this number, in any spelling. */
  phone_number?: string
  /** Returns suppressions of this kind. */
  kind?: 'voice' | 'sms' | 'all'
}

export interface AgentsListQuery {
  /** The maximum number of items to return. */
  limit?: number
  /** The number of items to skip. */
  offset?: number
  /**
   * `pagination.next_cursor` of the previous page. Unlike `offset`, a cursor never skips or repeats items when others are
   * added, and deep pages are as fast as the first. Can't be used with `offset`.
   */
  cursor?: string
}

export interface AgentsListVersionsQuery {
  /** The maximum number of items to return. */
  limit?: number
  /** The number of items to skip. */
  offset?: number
  /**
   * `pagination.next_cursor` of the previous page. Unlike `offset`, a cursor never skips or repeats items when others are
   * added, and deep pages are as fast as the first. Can't be used with `offset`.
   */
  cursor?: string
}

export interface AgentsCompareVersionsQuery {
  /** The id of another version, or `draft`. */
  against?: string
}

export interface AgentsListDeploymentsQuery {
  /** The maximum number of items to return. */
  limit?: number
  /** The number of items to skip. */
  offset?: number
  /**
   * `pagination.next_cursor` of the previous page. Unlike `offset`, a cursor never skips or repeats items when others are
   * added, and deep pages are as fast as the first. Can't be used with `offset`.
   */
  cursor?: string
}

export interface AgentTestsListQuery {
  /** The maximum number of items to return. */
  limit?: number
  /** The number of items to skip. */
  offset?: number
  /**
   * `pagination.next_cursor` of the previous page. Unlike `offset`, a cursor never skips or repeats items when others are
   * added, and deep pages are as fast as the first. Can't be used with `offset`.
   */
  cursor?: string
}

export interface TestRunsListQuery {
  /** The maximum number of items to return. */
  limit?: number
  /** The number of items to skip. */
  offset?: number
  /**
   * `pagination.next_cursor` of the previous page. Unlike `offset`, a cursor never skips or repeats items when others are
   * added, and deep pages are as fast as the first. Can't be used with `offset`.
   */
  cursor?: string
}

export interface AgentTestsGetGateQuery {
  /** The id of a version, or `draft`. */
  version?: string
}

export interface TestRunsGetQuery {
  /** `junit`: a JUnit XML file, for CI. */
  format?: 'json' | 'junit'
}

export interface TestRunsListResultsQuery {
  /** The maximum number of items to return. */
  limit?: number
  /** The number of items to skip. */
  offset?: number
  /**
   * `pagination.next_cursor` of the previous page. Unlike `offset`, a cursor never skips or repeats items when others are
   * added, and deep pages are as fast as the first. Can't be used with `offset`.
   */
  cursor?: string
  /** Only results with this status. */
  status?: 'queued' | 'passed' | 'failed' | 'error' | 'canceled'
}

export interface ProvidersListQuery {
  /** The maximum number of items to return. */
  limit?: number
  /** The number of items to skip. */
  offset?: number
  /**
   * `pagination.next_cursor` of the previous page. Unlike `offset`, a cursor never skips or repeats items when others are
   * added, and deep pages are as fast as the first. Can't be used with `offset`.
   */
  cursor?: string
}

export interface ToolsListQuery {
  /** The maximum number of items to return. */
  limit?: number
  /** The number of items to skip. */
  offset?: number
  /**
   * `pagination.next_cursor` of the previous page. Unlike `offset`, a cursor never skips or repeats items when others are
   * added, and deep pages are as fast as the first. Can't be used with `offset`.
   */
  cursor?: string
}

export interface DocumentsListQuery {
  /** The maximum number of items to return. */
  limit?: number
  /** The number of items to skip. */
  offset?: number
  /**
   * `pagination.next_cursor` of the previous page. Unlike `offset`, a cursor never skips or repeats items when others are
   * added, and deep pages are as fast as the first. Can't be used with `offset`.
   */
  cursor?: string
  /** Only documents with this status. */
  status?: 'processing' | 'ready' | 'failed'
  /** Only documents with this tag. */
  tag?: string
  /** Only documents whose name contains this. */
  search?: string
}

export interface DocumentsSearchQuery {
  /** A question, or words. */
  query: string
  /** Only documents with one of these tags, separated by commas. */
  tags?: string
  /** Only these documents: ids, separated by commas. */
  document_ids?: string
  /** How many passages to return. */
  limit?: number
}

export interface DocumentsListUnansweredQuery {
  /** The maximum number of items to return. */
  limit?: number
  /** The number of items to skip. */
  offset?: number
  /**
   * `pagination.next_cursor` of the previous page. Unlike `offset`, a cursor never skips or repeats items when others are
   * added, and deep pages are as fast as the first. Can't be used with `offset`.
   */
  cursor?: string
  /** Only questions to this agent. */
  agent_id?: string
}

export interface ChannelsListQuery {
  /** The maximum number of items to return. */
  limit?: number
  /** The number of items to skip. */
  offset?: number
  /**
   * `pagination.next_cursor` of the previous page. Unlike `offset`, a cursor never skips or repeats items when others are
   * added, and deep pages are as fast as the first. Can't be used with `offset`.
   */
  cursor?: string
  /** Only channels of this kind. */
  kind?: 'voice' | 'sms' | 'web_chat'
  /** Only channels with this status. */
  status?: 'active' | 'disabled' | 'failing'
}

export interface ConversationsListQuery {
  /** The maximum number of items to return. */
  limit?: number
  /** The number of items to skip. */
  offset?: number
  /**
   * `pagination.next_cursor` of the previous page. Unlike `offset`, a cursor never skips or repeats items when others are
   * added, and deep pages are as fast as the first. Can't be used with `offset`.
   */
  cursor?: string
  /** Only conversations with this contact. */
  contact_id?: string
  /** Only conversations with this agent. */
  agent_id?: string
  /** Only conversations on this channel. */
  channel_id?: string
  /** How the contact takes part. */
  kind?: 'api' | 'web_chat' | 'sms' | 'voice'
  /**
   * `open`: the agent answers. `handed_over`: a person answers, and the agent is silent. `closed`: nothing more can be
   * said.
   */
  status?: 'open' | 'handed_over' | 'closed'
  /** Only conversations that began after this. */
  created_after?: string
  /** Only conversations that began before this. */
  created_before?: string
  /** With `true`, only trials. They are left out otherwise. */
  is_test?: boolean
  /** Newest first by default. `waiting_since` begins with the longest wait, and is only for `status=handed_over`. */
  sort?: 'created_at' | '-created_at' | 'last_turn_at' | '-last_turn_at' | 'waiting_since' | '-waiting_since'
}

export interface ConversationsListTurnsQuery {
  /** The maximum number of items to return. */
  limit?: number
  /** The number of items to skip. */
  offset?: number
  /**
   * `pagination.next_cursor` of the previous page. Unlike `offset`, a cursor never skips or repeats items when others are
   * added, and deep pages are as fast as the first. Can't be used with `offset`.
   */
  cursor?: string
  /** Only turns after this `seq`. Can't be used with `offset` or `cursor`. */
  after?: number
  /**
   * How long to wait for an answer: a turn of the agent or a person after `after`. Can't be used with `offset` or
   * `cursor`.
   */
  wait_ms?: number
}

export interface CallsListQuery {
  /** The maximum number of items to return. */
  limit?: number
  /** The number of items to skip. */
  offset?: number
  /**
   * `pagination.next_cursor` of the previous page. Unlike `offset`, a cursor never skips or repeats items when others are
   * added, and deep pages are as fast as the first. Can't be used with `offset`.
   */
  cursor?: string
  /** Only calls with this contact. */
  contact_id?: string
  /** Only calls of this agent. */
  agent_id?: string
  /** Only calls of this campaign. */
  campaign_id?: string
  /** Only calls on this channel. */
  channel_id?: string
  /** Only the call of this conversation. */
  conversation_id?: string
  /** Who has called. */
  direction?: 'inbound' | 'outbound'
  /**
   * `completed`: someone or something has answered. `failed`: nobody has, or the call could not be made. A call that is
   * `completed`, `failed` or `canceled` stays so.
   */
  status?: 'scheduled' | 'queued' | 'ringing' | 'in_progress' | 'completed' | 'failed' | 'canceled'
  /** Only calls with this outcome. */
  outcome?:
    | 'answered'
    | 'voicemail'
    | 'screened'
    | 'menu'
    | 'no_answer'
    | 'busy'
    | 'rejected'
    | 'invalid_number'
    | 'unreachable'
    | 'blocked'
    | 'canceled'
    | 'error'
    | 'unknown'
  /** Only calls that were created after this. */
  created_after?: string
  /** Only calls that were created before this. */
  created_before?: string
  /** Only calls in which this was said: at least 3 characters, without regard to case and accents. */
  search?: string
}

export interface CallsListEventsQuery {
  /** The maximum number of items to return. */
  limit?: number
  /** The number of items to skip. */
  offset?: number
  /**
   * `pagination.next_cursor` of the previous page. Unlike `offset`, a cursor never skips or repeats items when others are
   * added, and deep pages are as fast as the first. Can't be used with `offset`.
   */
  cursor?: string
}

export interface CallsGetTranscriptQuery {
  /** `txt`: plain text. `srt`, `vtt`: subtitles of what was heard. By default `json`. */
  format?: 'json' | 'txt' | 'srt' | 'vtt'
}

export interface CampaignsListQuery {
  /** The maximum number of items to return. */
  limit?: number
  /** The number of items to skip. */
  offset?: number
  /**
   * `pagination.next_cursor` of the previous page. Unlike `offset`, a cursor never skips or repeats items when others are
   * added, and deep pages are as fast as the first. Can't be used with `offset`.
   */
  cursor?: string
  /** Only campaigns with this status. */
  status?: 'draft' | 'scheduled' | 'running' | 'paused' | 'completed' | 'canceled'
}

export interface EnrollmentsListQuery {
  /** The maximum number of items to return. */
  limit?: number
  /** The number of items to skip. */
  offset?: number
  /**
   * `pagination.next_cursor` of the previous page. Unlike `offset`, a cursor never skips or repeats items when others are
   * added, and deep pages are as fast as the first. Can't be used with `offset`.
   */
  cursor?: string
  /** Only enrollments with this status. */
  status?:
    | 'pending'
    | 'dialing'
    | 'in_progress'
    | 'waiting'
    | 'completed'
    | 'failed'
    | 'skipped'
    | 'canceled'
    | 'expired'
  /** Only that of this contact. */
  contact_id?: string
}

export interface EnrollmentsListOfContactQuery {
  /** The maximum number of items to return. */
  limit?: number
  /** The number of items to skip. */
  offset?: number
  /**
   * `pagination.next_cursor` of the previous page. Unlike `offset`, a cursor never skips or repeats items when others are
   * added, and deep pages are as fast as the first. Can't be used with `offset`.
   */
  cursor?: string
}

export interface EnrollmentsExplainQuery {
  /** The time to explain: now, or later. */
  at?: string
}

export interface AnalyticsCallsQuery {
  /**
   * The first interval is the one with this time. By default the rows are those of 30 days, or of 24 hours by the hour.
   * At most 400 days before `to`, by the hour 7.
   */
  from?: string
  /**
   * Intervals that begin at this time or later are left out. By default now. `from` and `to` must be in the years 1970 to
   * 9998.
   */
  to?: string
  /**
   * Hours, days or weeks by the clocks of the workspace's `time_zone`. Weeks begin on Mondays. Intervals are always
   * whole: the first one may begin before `from`, and the last one end after `to`.
   */
  interval?: 'hour' | 'day' | 'week'
  /**
   * One or two of `agent_id`, `agent_version_id`, `channel_id`, `campaign_id`, `outcome`, separated by a comma. Each
   * combination has rows of its own.
   */
  group_by?: string
}

export interface AnalyticsConversationsQuery {
  /**
   * The first interval is the one with this time. By default the rows are those of 30 days, or of 24 hours by the hour.
   * At most 400 days before `to`, by the hour 7.
   */
  from?: string
  /**
   * Intervals that begin at this time or later are left out. By default now. `from` and `to` must be in the years 1970 to
   * 9998.
   */
  to?: string
  /**
   * Hours, days or weeks by the clocks of the workspace's `time_zone`. Weeks begin on Mondays. Intervals are always
   * whole: the first one may begin before `from`, and the last one end after `to`.
   */
  interval?: 'hour' | 'day' | 'week'
  /**
   * One or two of `agent_id`, `agent_version_id`, `channel_id`, `campaign_id`, `outcome`, separated by a comma. Each
   * combination has rows of its own.
   */
  group_by?: string
}

export interface AnalyticsCampaignsQuery {
  /**
   * The first interval is the one with this time. By default the rows are those of 30 days, or of 24 hours by the hour.
   * At most 400 days before `to`, by the hour 7.
   */
  from?: string
  /**
   * Intervals that begin at this time or later are left out. By default now. `from` and `to` must be in the years 1970 to
   * 9998.
   */
  to?: string
  /**
   * Hours, days or weeks by the clocks of the workspace's `time_zone`. Weeks begin on Mondays. Intervals are always
   * whole: the first one may begin before `from`, and the last one end after `to`.
   */
  interval?: 'hour' | 'day' | 'week'
  /**
   * One or two of `agent_id`, `agent_version_id`, `channel_id`, `campaign_id`, `outcome`, separated by a comma. Each
   * combination has rows of its own.
   */
  group_by?: string
}

export interface EventsListQuery {
  /** The maximum number of items to return. */
  limit?: number
  /** The number of items to skip. */
  offset?: number
  /**
   * `pagination.next_cursor` of the previous page. Unlike `offset`, a cursor never skips or repeats items when others are
   * added, and deep pages are as fast as the first. Can't be used with `offset`.
   */
  cursor?: string
  /** Only events of this type, or of the types that a pattern matches. */
  type?:
    | 'contact.created'
    | 'contact.updated'
    | 'contact.deleted'
    | 'agent.created'
    | 'agent.updated'
    | 'agent.deployed'
    | 'agent.deleted'
    | 'test_run.completed'
    | 'conversation.started'
    | 'conversation.turn'
    | 'conversation.handed_over'
    | 'conversation.taken_back'
    | 'conversation.closed'
    | 'message.received'
    | 'message.sent'
    | 'message.delivered'
    | 'message.failed'
    | 'call.started'
    | 'call.answered'
    | 'call.ended'
    | 'call.updated'
    | 'call.recording_ready'
    | 'campaign.started'
    | 'campaign.paused'
    | 'campaign.resumed'
    | 'campaign.completed'
    | 'campaign.canceled'
    | 'campaign.progress'
    | 'import.finished'
    | 'import.undone'
    | 'document.ready'
    | 'document.failed'
    | 'api_key.created'
    | 'api_key.revoked'
    | 'webhook.disabled'
    | 'webhook.test'
    | '*'
    | 'contact.*'
    | 'agent.*'
    | 'test_run.*'
    | 'conversation.*'
    | 'message.*'
    | 'call.*'
    | 'campaign.*'
    | 'import.*'
    | 'document.*'
    | 'api_key.*'
    | 'webhook.*'
  /** The id of an event: only events after it, oldest first. */
  after?: string
  /** Only events of this resource. */
  resource_id?: string
}

export interface EventsStreamQuery {
  /** Only events of this type, or of the types that a pattern matches. */
  type?:
    | 'contact.created'
    | 'contact.updated'
    | 'contact.deleted'
    | 'agent.created'
    | 'agent.updated'
    | 'agent.deployed'
    | 'agent.deleted'
    | 'test_run.completed'
    | 'conversation.started'
    | 'conversation.turn'
    | 'conversation.handed_over'
    | 'conversation.taken_back'
    | 'conversation.closed'
    | 'message.received'
    | 'message.sent'
    | 'message.delivered'
    | 'message.failed'
    | 'call.started'
    | 'call.answered'
    | 'call.ended'
    | 'call.updated'
    | 'call.recording_ready'
    | 'campaign.started'
    | 'campaign.paused'
    | 'campaign.resumed'
    | 'campaign.completed'
    | 'campaign.canceled'
    | 'campaign.progress'
    | 'import.finished'
    | 'import.undone'
    | 'document.ready'
    | 'document.failed'
    | 'api_key.created'
    | 'api_key.revoked'
    | 'webhook.disabled'
    | 'webhook.test'
    | '*'
    | 'contact.*'
    | 'agent.*'
    | 'test_run.*'
    | 'conversation.*'
    | 'message.*'
    | 'call.*'
    | 'campaign.*'
    | 'import.*'
    | 'document.*'
    | 'api_key.*'
    | 'webhook.*'
  /** The id of an event: only events after it, oldest first. */
  after?: string
}

export interface WebhooksListQuery {
  /** The maximum number of items to return. */
  limit?: number
  /** The number of items to skip. */
  offset?: number
  /**
   * `pagination.next_cursor` of the previous page. Unlike `offset`, a cursor never skips or repeats items when others are
   * added, and deep pages are as fast as the first. Can't be used with `offset`.
   */
  cursor?: string
}

export interface WebhooksListDeliveriesQuery {
  /** The maximum number of items to return. */
  limit?: number
  /** The number of items to skip. */
  offset?: number
  /**
   * `pagination.next_cursor` of the previous page. Unlike `offset`, a cursor never skips or repeats items when others are
   * added, and deep pages are as fast as the first. Can't be used with `offset`.
   */
  cursor?: string
  /** Only deliveries with this status. */
  status?: 'pending' | 'succeeded' | 'failed'
}

export interface WebhooksListInboxQuery {
  /** The maximum number of items to return. */
  limit?: number
  /** The number of items to skip. */
  offset?: number
  /**
   * `pagination.next_cursor` of the previous page. Unlike `offset`, a cursor never skips or repeats items when others are
   * added, and deep pages are as fast as the first. Can't be used with `offset`.
   */
  cursor?: string
}

export interface AuditLogListQuery {
  /** The maximum number of items to return. */
  limit?: number
  /** The number of items to skip. */
  offset?: number
  /**
   * `pagination.next_cursor` of the previous page. Unlike `offset`, a cursor never skips or repeats items when others are
   * added, and deep pages are as fast as the first. Can't be used with `offset`.
   */
  cursor?: string
  /** Only what this key, person, agent or integration has done. */
  actor_id?: string
  /** Only what was done to this resource or person. */
  subject_id?: string
  /** Only this action. */
  action?: string
  /** Only entries at or after this time. */
  from?: string
  /** Only entries before this time. */
  to?: string
}

export interface ApiKeysListQuery {
  /** The maximum number of items to return. */
  limit?: number
  /** The number of items to skip. */
  offset?: number
  /**
   * `pagination.next_cursor` of the previous page. Unlike `offset`, a cursor never skips or repeats items when others are
   * added, and deep pages are as fast as the first. Can't be used with `offset`.
   */
  cursor?: string
}

/** What webhooks send, by `type`. */
export type WebhookEvent =
  | ContactCreatedEvent
  | ContactUpdatedEvent
  | ContactDeletedEvent
  | AgentCreatedEvent
  | AgentUpdatedEvent
  | AgentDeployedEvent
  | AgentDeletedEvent
  | TestRunCompletedEvent
  | ConversationStartedEvent
  | ConversationTurnEvent
  | ConversationHandedOverEvent
  | ConversationTakenBackEvent
  | ConversationClosedEvent
  | MessageReceivedEvent
  | MessageSentEvent
  | MessageDeliveredEvent
  | MessageFailedEvent
  | CallStartedEvent
  | CallAnsweredEvent
  | CallEndedEvent
  | CallUpdatedEvent
  | CallRecordingReadyEvent
  | CampaignStartedEvent
  | CampaignPausedEvent
  | CampaignResumedEvent
  | CampaignCompletedEvent
  | CampaignCanceledEvent
  | CampaignProgressEvent
  | ImportFinishedEvent
  | ImportUndoneEvent
  | DocumentReadyEvent
  | DocumentFailedEvent
  | ApiKeyCreatedEvent
  | ApiKeyRevokedEvent
  | WebhookDisabledEvent
  | WebhookTestEvent

/** A code that programs can handle. New codes may be added. */
export type ErrorCode =
  | 'VALIDATION_ERROR'
  | 'UNAUTHORIZED'
  | 'FORBIDDEN'
  | 'NOT_FOUND'
  | 'METHOD_NOT_ALLOWED'
  | 'REQUEST_TIMEOUT'
  | 'CONFLICT'
  | 'INVALID_STATE'
  | 'IDEMPOTENCY_IN_PROGRESS'
  | 'PRECONDITION_FAILED'
  | 'PAYLOAD_TOO_LARGE'
  | 'UNSUPPORTED_MEDIA_TYPE'
  | 'RANGE_NOT_SATISFIABLE'
  | 'IDEMPOTENCY_KEY_REUSED'
  | 'RATE_LIMITED'
  | 'HEADERS_TOO_LARGE'
  | 'INTERNAL_ERROR'
  | 'SERVICE_UNAVAILABLE'

export interface InvalidField {
  /** The field, such as `tags.3`, or `""` for the whole body. */
  path: string
  code: string
  message: string
  /** A value that you may have meant. */
  suggestion?: string
}
