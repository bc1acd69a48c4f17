// Generated from openapi.json by sdk/generate.ts: npm run openapi writes it anew.

import type { ApiList, ApiPromise } from './answers.ts'
import { Client, type ClientOptions, path, type RequestOptions, type StreamOptions, toApiUrl } from './client.ts'
import type {
  Advance,
  Agent,
  AgentChange,
  AgentDifference,
  AgentsCompareVersionsQuery,
  AgentsListDeploymentsQuery,
  AgentsListQuery,
  AgentsListVersionsQuery,
  AgentTest,
  AgentTestChange,
  AgentTestsGetGateQuery,
  AgentTestsListQuery,
  AgentVersion,
  AgentVersionWithConfiguration,
  AgentWithDraft,
  AnalyticsCallsQuery,
  AnalyticsCampaignsQuery,
  AnalyticsConversationsQuery,
  ApiKey,
  ApiKeysListQuery,
  ApiKeyWithSecret,
  AuditEntry,
  AuditLogListQuery,
  Call,
  CallAnalytics,
  CallChange,
  CallEvent,
  CallsGetTranscriptQuery,
  CallsListEventsQuery,
  CallsListQuery,
  CallsLiveEvent,
  Campaign,
  CampaignAnalytics,
  CampaignChange,
  CampaignProgress,
  CampaignsListQuery,
  Channel,
  ChannelsListQuery,
  Consent,
  ConsentsListOfContactQuery,
  ConsentsListQuery,
  Contact,
  ContactBatch,
  ContactBatchResults,
  ContactChange,
  ContactCreated,
  ContactsExportQuery,
  ContactsListQuery,
  ContactWithCrmIds,
  Conversation,
  ConversationAnalytics,
  ConversationsListQuery,
  ConversationsListTurnsQuery,
  ConversationsStreamEvent,
  CrmId,
  Deleted,
  Delivery,
  DeliveryCounts,
  DeliveryWithAttempts,
  Deployment,
  Document,
  DocumentChange,
  DocumentOptions,
  DocumentSearch,
  DocumentsListQuery,
  DocumentsListUnansweredQuery,
  DocumentsSearchQuery,
  DryRun,
  Enrolled,
  Enrollment,
  EnrollmentsExplainQuery,
  EnrollmentsListOfContactQuery,
  EnrollmentsListQuery,
  Erasure,
  EventsListQuery,
  EventsStreamEvent,
  EventsStreamQuery,
  Explanation,
  Forecast,
  HandOver,
  Import,
  ImportOptions,
  ImportRow,
  ImportsDownloadRowsQuery,
  ImportsListQuery,
  ImportsListRowsQuery,
  InboxRequest,
  Integration,
  IntegrationChange,
  IntegrationsListQuery,
  IntegrationsListReceiptsQuery,
  Link,
  McpTools,
  NewAgent,
  NewAgentTest,
  NewAgentVersion,
  NewApiKey,
  NewCall,
  NewCampaign,
  NewConsent,
  NewContact,
  NewConversation,
  NewDeployment,
  NewDocument,
  NewEnrollments,
  NewForecast,
  NewImport,
  NewIntegration,
  NewMessage,
  NewProvider,
  NewRecovery,
  NewSuppression,
  NewTestRun,
  NewTool,
  NewWebCall,
  NewWebhook,
  Overview,
  Provider,
  ProviderChange,
  ProvidersListQuery,
  Receipt,
  Recovery,
  Rotation,
  Sample,
  Suppression,
  SuppressionsListQuery,
  TestClock,
  TestGate,
  TestResult,
  TestRun,
  TestRunResult,
  TestRunsGetQuery,
  TestRunsListQuery,
  TestRunsListResultsQuery,
  TestRunWithResults,
  Tool,
  ToolChange,
  ToolsListQuery,
  ToolTest,
  ToolWithSecret,
  Transcript,
  Turn,
  UnansweredQuestion,
  Verification,
  WebCall,
  Webhook,
  WebhookChange,
  WebhookEvent,
  WebhooksListDeliveriesQuery,
  WebhooksListInboxQuery,
  WebhooksListQuery,
  WebhookWithSecret,
  Workspace,
  WorkspaceChange,
  WorkspaceEvent,
} from './types.ts'
import type { Upload } from './uploads.ts'
import { verifyWebhook, type WebhookHeaders } from './webhooks.ts'

/** The API of one service: `new Parley({ apiKey, baseUrl })`. */
export class Parley extends Client {
  /** The people that agents communicate with. */
  readonly contacts = new ContactsApi(this)
  /** Persons whose data is erased. */
  readonly erasures = new ErasuresApi(this)
  /** Import contacts from CSV files in the background. Try an import with a dry run; cancel or undo it. */
  readonly imports = new ImportsApi(this)
  /** Receive contacts from forms and CRMs. */
  readonly integrations = new IntegrationsApi(this)
  /** Who has agreed to be called or written to, and who has opted out: a ledger whose entries are never changed. */
  readonly consents = new ConsentsApi(this)
  /** Phone numbers that are never called or written to. */
  readonly suppressions = new SuppressionsApi(this)
  /** AI agents that answer and place calls. Their configuration has a draft and versions, one of which is deployed. */
  readonly agents = new AgentsApi(this)
  /** What an agent must say and do in a situation. Tests can be required before a version is deployed. */
  readonly agentTests = new AgentTestsApi(this)
  /** Tests of an agent that are run in the background, and what came of them. */
  readonly testRuns = new TestRunsApi(this)
  /** Accounts at model services, which agents use to answer. */
  readonly providers = new ProvidersApi(this)
  /** Requests to your servers that agents can make while they answer. */
  readonly tools = new ToolsApi(this)
  /** What agents can look up: texts, files and pages. Answers name the passages that they come from. */
  readonly documents = new DocumentsApi(this)
  /** Where people reach agents: web chats and phone numbers. Owners set them up in the dashboard. */
  readonly channels = new ChannelsApi(this)
  /** Threads between a contact and an agent. Say something, read the answers, hand over to a person. */
  readonly conversations = new ConversationsApi(this)
  /** Agents call people, or simulated ones. Follow a call live, end it, search what was said. */
  readonly calls = new CallsApi(this)
  /** An agent calls or writes to many contacts, each in hours that suit the contact, and tries again if it must. */
  readonly campaigns = new CampaignsApi(this)
  /** The contacts of a campaign. */
  readonly enrollments = new EnrollmentsApi(this)
  /** How many calls, conversations and attempts of campaigns there were, and how they went, over time. */
  readonly analytics = new AnalyticsApi(this)
  /** What happened, in order: as a list and as a stream. */
  readonly events = new EventsApi(this)
  /** Figures of the workspace at a glance. */
  readonly overview = new OverviewApi(this)
  /** Send events to your server as they happen, and follow each delivery. */
  readonly webhooks = new WebhooksApi(this)
  /** The time of a test workspace. It stands still until you advance it. */
  readonly testClock = new TestClockApi(this)
  /** The workspace of the API key, and its settings. */
  readonly workspace = new WorkspaceApi(this)
  /** Who has signed in, changed settings or copied data. Requires a key with the scope `audit:read`, granted by name. */
  readonly auditLog = new AuditLogApi(this)
  /** Manage API keys. Requires a key with the scopes `api_keys:read` and `api_keys:write`, granted by name. */
  readonly apiKeys = new ApiKeysApi(this)

  constructor(options: ClientOptions) {
    super({ ...options, baseUrl: toApiUrl(options.baseUrl) })
  }
}

export class ContactsApi {
  readonly #client: Client

  constructor(client: Client) {
    this.#client = client
  }

  /**
   * List contacts.
   *
   * Returns the newest contacts first, unless `sort` is set. Contacts must match all filters. `total` is always exact.
   *
   * Requires the scope `contacts:read`.
   */
  list(query: ContactsListQuery = {}, options?: RequestOptions): ApiList<Contact> {
    return this.#client.list('/contacts', query, options)
  }

  /**
   * Create a contact.
   *
   * The contact gets the source `api`. If another contact has the phone number or one of the `crm_ids`, the response is
   * 409 `CONFLICT` with the id of that contact in `details.existing_id`. The response of a create has no
   * `first_contact_at`, `last_contact_at` and `crm_ids`, and no `custom_fields` if none were given. Use "Get a contact"
   * to read these.
   *
   * Requires the scope `contacts:write`.
   */
  create(body: NewContact, options?: RequestOptions): ApiPromise<ContactCreated> {
    return this.#client.send('POST', '/contacts', body, options)
  }

  /**
   * Export contacts.
   *
   * Returns all contacts that match, as CSV. The filters are those of "List contacts". `tags` are separated by
   * semicolons. Each custom field that is in use in the workspace has a column, such as `custom_fields.plan`. If more
   * than 1,000 are in use, only 1,000 of them have columns: "List contacts" returns all. A tag that contains `,`, `;` or
   * `|` is in double quotes, with double quotes inside it doubled. A cell that begins with = + - @ tab or CR gets a
   * leading apostrophe, so that a spreadsheet does not run it as a formula, unless it is a plus sign and digits, such as
   * a phone number. An import of up to 200 columns reverses all of this.
   *
   * Requires the scope `contacts:read`.
   */
  export(query: ContactsExportQuery = {}, options?: RequestOptions): Promise<Response> {
    return this.#client.file('/contacts/export', query, options)
  }

  /**
   * Get a contact.
   *
   * Returns the contact with its `crm_ids`.
   *
   * Requires the scope `contacts:read`.
   */
  get(id: string, options?: RequestOptions): ApiPromise<ContactWithCrmIds> {
    return this.#client.get(path`/contacts/${id}`, undefined, options)
  }

  /**
   * Update a contact.
   *
   * Fields that are not sent keep their values. `tags` replaces all tags, and `custom_fields` and `crm_ids` change those
   * that are sent. `null` or `""` clears any field but `phone_number`. `{}` changes nothing. With `If-Match`, an outdated
   * `ETag` gives 412.
   *
   * Requires the scope `contacts:write`.
   */
  update(id: string, body: ContactChange, options?: RequestOptions): ApiPromise<Contact> {
    return this.#client.send('PATCH', path`/contacts/${id}`, body, options)
  }

  /**
   * Delete a contact.
   *
   * Deletes the contact permanently. Its data in events, webhook deliveries, import rows, integration receipts and stored
   * idempotent responses is reduced to the id. Deleting it again gives 404. Its conversations and calls stay, without a
   * link to it and without its number, with what was said and with recordings; so do suppressions of the number and
   * entries of the consent ledger. To erase all that, use "Erase a person" instead.
   *
   * Requires the scope `contacts:write`.
   */
  delete(id: string, options?: RequestOptions): ApiPromise<Deleted> {
    return this.#client.send('DELETE', path`/contacts/${id}`, undefined, options)
  }

  /**
   * Create or update a contact.
   *
   * Creates the contact that has this phone number (201), or updates it as "Update a contact" does (200). If another
   * contact has one of the `crm_ids`, the response is 409 `CONFLICT`. A `phone_number` in the body must be the one in the
   * path. Safe to repeat: concurrent requests make one contact, and one that has all the values already stays as it is,
   * without an event. With `If-Match`, a contact that has changed or does not exist gives 412. With `If-None-Match: *`,
   * one that exists does.
   *
   * Requires the scope `contacts:write`.
   */
  upsert(phoneNumber: string, body: ContactChange, options?: RequestOptions): ApiPromise<Contact> {
    return this.#client.send('PUT', path`/contacts/by_phone_number/${phoneNumber}`, body, options)
  }

  /**
   * Create and update many contacts.
   *
   * Runs 1 to 100 operations in order. Each has the status and the `data` or `error` of the single request, and failed
   * ones, also those of the wrong shape, do not keep the others from taking effect. With `atomic`, all take effect or
   * none: if one fails, the response is its error, with `details.index`. `If-Match` and `If-None-Match` are ignored. A
   * request with an `Idempotency-Key` that was interrupted goes on when it is repeated. Each operation counts as a
   * request for the rate limit.
   *
   * Requires the scope `contacts:write`.
   */
  batch(body: ContactBatch, options?: RequestOptions): ApiPromise<ContactBatchResults> {
    return this.#client.send('POST', '/contacts/batch', body, options)
  }

  /**
   * Set a contact's id in a CRM system.
   *
   * If another contact of the workspace has this id in this system, the response is 409 `CONFLICT`. Counts as an update
   * of the contact.
   *
   * Requires the scope `contacts:write`.
   */
  setCrmId(id: string, system: string, body: CrmId, options?: RequestOptions): ApiPromise<ContactWithCrmIds> {
    return this.#client.send('PUT', path`/contacts/${id}/crm_ids/${system}`, body, options)
  }

  /**
   * Remove a contact's id in a CRM system.
   *
   * Counts as an update of the contact. If the contact has no id in this system, the response is 404.
   *
   * Requires the scope `contacts:write`.
   */
  deleteCrmId(id: string, system: string, options?: RequestOptions): ApiPromise<ContactWithCrmIds> {
    return this.#client.send('DELETE', path`/contacts/${id}/crm_ids/${system}`, undefined, options)
  }

  /**
   * Erase a person.
   *
   * Erases everything about the person, for good, in the background: conversations and calls of the contact and of its
   * number are ended and redacted, with recordings, text messages, events, webhook deliveries, stored answers, rows of
   * imports and receipts of integrations. Then the contact is deleted. The consent ledger keeps its hashes, and a
   * suppression a keyed hash, so that an opt-out still holds. Get the erasure to see how far it is. While it runs, the
   * answer to another request is 200 with this erasure; afterwards it is 404. See "Erase or export a person" in the
   * guide.
   *
   * Requires the scope `contacts:erase`.
   */
  erase(id: string, options?: RequestOptions): ApiPromise<Erasure> {
    return this.#client.send('POST', path`/contacts/${id}/erase`, undefined, options)
  }

  /**
   * Export a person.
   *
   * All that is known about the person, as one ZIP file: the contact, conversations and what was said, calls and their
   * recordings, enrollments, consents, suppressions, events, rows of imports and receipts of integrations. It finds what
   * "Erase a person" would erase. Files end with `.jsonl` and have one JSON object in each line; `README.txt` names them.
   *
   * Requires the scope `contacts:erase`.
   */
  getEverything(id: string, options?: RequestOptions): Promise<Response> {
    return this.#client.file(path`/contacts/${id}/everything`, undefined, options)
  }
}

export class ErasuresApi {
  readonly #client: Client

  constructor(client: Client) {
    this.#client = client
  }

  /**
   * Get an erasure.
   *
   * It has ids and counts only, and is kept for 365 days.
   *
   * Requires the scope `contacts:erase`.
   */
  get(id: string, options?: RequestOptions): ApiPromise<Erasure> {
    return this.#client.get(path`/erasures/${id}`, undefined, options)
  }
}

export class ImportsApi {
  readonly #client: Client

  constructor(client: Client) {
    this.#client = client
  }

  /**
   * Import contacts.
   *
   * Send a CSV file as `multipart/form-data` with the parts `file` (at most 512 MiB) and `options` (JSON), or send rows
   * as JSON. The first row of a file contains the column names. The encoding (UTF-8 or UTF-16) and the delimiter (comma,
   * semicolon or tab) are detected. The import runs in the background: get it until its `status` is `finished`,
   * `canceled` or `failed`. New contacts have the source `import`.
   *
   * With `is_dry_run` no contacts are written: the rows show what would happen, and "Run the import" then imports them.
   *
   * Empty cells leave fields unchanged. `tags` are separated by `,`, `;` or `|`; put a tag that contains one of these in
   * double quotes and double the quotes inside, as the export does. A phone number without a country code is read as a
   * number of `default_country`, if its length is possible there. Of rows with the same phone number only the first is
   * imported.
   *
   * With `consent` the people in the file are recorded in the consent ledger as having agreed, with the source `import`
   * and the id of the import as evidence. This needs the scope `consents:write`. Who has opted out stays opted out. A dry
   * run records nothing. An undo leaves the entries in the ledger.
   *
   * With `campaign_id` the contacts of the file are enrolled in the campaign, with the columns named `variables.NAME` as
   * their variables. This needs the scope `campaigns:write`. If the campaign ends meanwhile or is full, the other
   * contacts are imported without it: `not_enrolled` counts them, and `error` says why. An undo leaves contacts that
   * existed before in the campaign.
   *
   * A row may have 200 cells and 256 k characters, and a file 200 columns. The file and its rows are kept for 30 days,
   * those of a dry run for 7. An `Idempotency-Key` compares the SHA-256 of the parts.
   *
   * Requires the scope `contacts:write`.
   */
  create(body: NewImport | Upload<ImportOptions>, options?: RequestOptions): ApiPromise<Import> {
    return this.#client.upload('/contacts/imports', body, options)
  }

  /**
   * List imports.
   *
   * Newest first.
   *
   * Requires the scope `contacts:read`.
   */
  list(query: ImportsListQuery = {}, options?: RequestOptions): ApiList<Import> {
    return this.#client.list('/contacts/imports', query, options)
  }

  /**
   * Get an import.
   *
   * `done` and `total` show the progress.
   *
   * Requires the scope `contacts:read`.
   */
  get(id: string, options?: RequestOptions): ApiPromise<Import> {
    return this.#client.get(path`/contacts/imports/${id}`, undefined, options)
  }

  /**
   * List the rows of an import.
   *
   * The outcome of each row so far, in the order of the file.
   *
   * Requires the scope `contacts:read`.
   */
  listRows(id: string, query: ImportsListRowsQuery = {}, options?: RequestOptions): ApiList<ImportRow> {
    return this.#client.list(path`/contacts/imports/${id}/rows`, query, options)
  }

  /**
   * Download the rows of an import.
   *
   * A CSV file with the columns of the import and the column `reason`. Correct the refused rows and import them again. If
   * a row has more cells than there are columns, the extra cells follow the reason, without a column name. Remove them,
   * or the row is refused again.
   *
   * Requires the scope `contacts:read`.
   */
  downloadRows(id: string, query: ImportsDownloadRowsQuery = {}, options?: RequestOptions): Promise<Response> {
    return this.#client.file(path`/contacts/imports/${id}/rows.csv`, query, options)
  }

  /**
   * Cancel an import.
   *
   * The import stops after the current batch. Contacts imported so far stay. You can undo the import.
   *
   * Requires the scope `contacts:write`.
   */
  cancel(id: string, options?: RequestOptions): ApiPromise<Import> {
    return this.#client.send('POST', path`/contacts/imports/${id}/cancel`, undefined, options)
  }

  /**
   * Undo an import.
   *
   * Runs in the background. Deletes the contacts that the import created, and restores those that it updated. Contacts
   * that were changed after the import are skipped: `undo_skipped` counts them, and their rows have a `reason`. A dry run
   * has nothing to undo: undo the import that was created by running it.
   *
   * Requires the scope `contacts:write`.
   */
  undo(id: string, options?: RequestOptions): ApiPromise<Import> {
    return this.#client.send('POST', path`/contacts/imports/${id}/undo`, undefined, options)
  }

  /**
   * Run the import.
   *
   * Creates an import from a finished dry run, with the same file and options.
   *
   * Requires the scope `contacts:write`.
   */
  run(id: string, options?: RequestOptions): ApiPromise<Import> {
    return this.#client.send('POST', path`/contacts/imports/${id}/run`, undefined, options)
  }
}

export class IntegrationsApi {
  readonly #client: Client

  constructor(client: Client) {
    this.#client = client
  }

  /**
   * List integrations.
   *
   * Newest first.
   *
   * Requires the scope `integrations:read`.
   */
  list(query: IntegrationsListQuery = {}, options?: RequestOptions): ApiList<Integration> {
    return this.#client.list('/integrations', query, options)
  }

  /**
   * Create an integration.
   *
   * Form tools and CRMs post JSON to its `url`. Each request creates a contact with the source `webhook`, or updates the
   * contact that has the phone number. You can create an integration without a field map: requests are then refused, and
   * their receipts show the payloads to map.
   *
   * Requires the scope `integrations:write`.
   */
  create(body: NewIntegration, options?: RequestOptions): ApiPromise<Integration> {
    return this.#client.send('POST', '/integrations', body, options)
  }

  /**
   * Get an integration.
   *
   * Requires the scope `integrations:read`.
   */
  get(id: string, options?: RequestOptions): ApiPromise<Integration> {
    return this.#client.get(path`/integrations/${id}`, undefined, options)
  }

  /**
   * Update an integration.
   *
   * Omitted fields keep their values. `field_map` is replaced as a whole.
   *
   * Requires the scope `integrations:write`.
   */
  update(id: string, body: IntegrationChange, options?: RequestOptions): ApiPromise<Integration> {
    return this.#client.send('PATCH', path`/integrations/${id}`, body, options)
  }

  /**
   * Delete an integration.
   *
   * Also deletes its receipts. The contacts stay. Its `url` returns 404 from now on.
   *
   * Requires the scope `integrations:write`.
   */
  delete(id: string, options?: RequestOptions): ApiPromise<Deleted> {
    return this.#client.send('DELETE', path`/integrations/${id}`, undefined, options)
  }

  /**
   * Try a sample.
   *
   * Returns what would happen if the sample were posted to the integration. Nothing is written. Send a `field_map` or
   * `default_country` to try them before you save them.
   *
   * Requires the scope `integrations:write`.
   */
  dryRun(id: string, body: Sample, options?: RequestOptions): ApiPromise<DryRun> {
    return this.#client.send('POST', path`/integrations/${id}/dry_run`, body, options)
  }

  /**
   * List the receipts of an integration.
   *
   * The last 50 requests and their outcomes, newest first. Kept for 30 days.
   *
   * Requires the scope `integrations:read`.
   */
  listReceipts(id: string, query: IntegrationsListReceiptsQuery = {}, options?: RequestOptions): ApiList<Receipt> {
    return this.#client.list(path`/integrations/${id}/receipts`, query, options)
  }
}

export class ConsentsApi {
  readonly #client: Client

  constructor(client: Client) {
    this.#client = client
  }

  /**
   * List a contact's consents.
   *
   * The ledger's entries for the contact's phone number, newest first. They include those of an earlier contact with this
   * number: an opt-out outlives the deletion of a contact.
   *
   * Requires the scope `consents:read`.
   */
  listOfContact(id: string, query: ConsentsListOfContactQuery = {}, options?: RequestOptions): ApiList<Consent> {
    return this.#client.list(path`/contacts/${id}/consents`, query, options)
  }

  /**
   * Record a consent.
   *
   * Adds an entry to the ledger. The contact's latest entry of a kind, or of the kind `all`, decides whether it is called
   * or written to. Entries are never changed or deleted: to correct one, add another.
   *
   * Requires the scope `consents:write`.
   */
  create(id: string, body: NewConsent, options?: RequestOptions): ApiPromise<Consent> {
    return this.#client.send('POST', path`/contacts/${id}/consents`, body, options)
  }

  /**
   * List consents.
   *
   * All entries of the ledger, newest first.
   *
   * Requires the scope `consents:read`.
   */
  list(query: ConsentsListQuery = {}, options?: RequestOptions): ApiList<Consent> {
    return this.#client.list('/consents', query, options)
  }

  /**
   * Export consents.
   *
   * Returns all entries of the ledger as CSV, oldest first. `evidence` is JSON. There are no phone numbers. If the
   * contact of an entry was deleted, `contact_id` is the contact that has the phone number now, or empty.
   *
   * Requires the scope `consents:read`.
   */
  export(options?: RequestOptions): Promise<Response> {
    return this.#client.file('/consents/export', undefined, options)
  }

  /**
   * Verify the consent ledger.
   *
   * Computes the hashes of all entries again, and names the first that is broken. This can take a minute for a million
   * entries. A workspace verifies once at a time: another request then gets 503.
   *
   * Requires the scope `consents:read`.
   */
  verify(options?: RequestOptions): ApiPromise<Verification> {
    return this.#client.send('POST', '/consents/verify', undefined, options)
  }
}

export class SuppressionsApi {
  readonly #client: Client

  constructor(client: Client) {
    this.#client = client
  }

  /**
   * Suppress a phone number.
   *
   * The number is never called or written to, in any spelling, whether it belongs to a contact or not. If it is already
   * suppressed for this kind, the response is 409 `CONFLICT` with the id in `details.existing_id`.
   *
   * Requires the scope `consents:write`.
   */
  create(body: NewSuppression, options?: RequestOptions): ApiPromise<Suppression> {
    return this.#client.send('POST', '/suppressions', body, options)
  }

  /**
   * List suppressions.
   *
   * Newest first.
   *
   * Requires the scope `consents:read`.
   */
  list(query: SuppressionsListQuery = {}, options?: RequestOptions): ApiList<Suppression> {
    return this.#client.list('/suppressions', query, options)
  }

  /**
   * Get a suppression.
   *
   * Requires the scope `consents:read`.
   */
  get(id: string, options?: RequestOptions): ApiPromise<Suppression> {
    return this.#client.get(path`/suppressions/${id}`, undefined, options)
  }

  /**
   * Delete a suppression.
   *
   * The number can be called and written to again, unless the person has opted out.
   *
   * Requires the scope `consents:write`.
   */
  delete(id: string, options?: RequestOptions): ApiPromise<Deleted> {
    return this.#client.send('DELETE', path`/suppressions/${id}`, undefined, options)
  }
}

export class AgentsApi {
  readonly #client: Client

  constructor(client: Client) {
    this.#client = client
  }

  /**
   * List agents.
   *
   * Newest first.
   *
   * Requires the scope `agents:read`.
   */
  list(query: AgentsListQuery = {}, options?: RequestOptions): ApiList<Agent> {
    return this.#client.list('/agents', query, options)
  }

  /**
   * Create an agent.
   *
   * Creates the version `v1` with the given configuration and deploys it. A workspace can have 1,000 agents. Servers of
   * tools are asked as when a version is published.
   *
   * Requires the scope `agents:write`.
   */
  create(body: NewAgent, options?: RequestOptions): ApiPromise<AgentWithDraft> {
    return this.#client.send('POST', '/agents', body, options)
  }

  /**
   * Get an agent.
   *
   * The `draft` is the configuration that the next version would have.
   *
   * Requires the scope `agents:read`.
   */
  get(id: string, options?: RequestOptions): ApiPromise<AgentWithDraft> {
    return this.#client.get(path`/agents/${id}`, undefined, options)
  }

  /**
   * Update an agent.
   *
   * The name and the description change at once. All other fields change the draft, and have no effect until it is
   * published and deployed. Fields that are not sent keep their values.
   *
   * Requires the scope `agents:write`.
   */
  update(id: string, body: AgentChange, options?: RequestOptions): ApiPromise<AgentWithDraft> {
    return this.#client.send('PATCH', path`/agents/${id}`, body, options)
  }

  /**
   * Delete an agent.
   *
   * Deletes the agent with its versions and deployments. While something uses the agent, the response is 409 with
   * `details.used_by`.
   *
   * Requires the scope `agents:write`.
   */
  delete(id: string, options?: RequestOptions): ApiPromise<Deleted> {
    return this.#client.send('DELETE', path`/agents/${id}`, undefined, options)
  }

  /**
   * List an agent's versions.
   *
   * Newest first. Get a version to see its whole configuration.
   *
   * Requires the scope `agents:read`.
   */
  listVersions(id: string, query: AgentsListVersionsQuery = {}, options?: RequestOptions): ApiList<AgentVersion> {
    return this.#client.list(path`/agents/${id}/versions`, query, options)
  }

  /**
   * Publish a version.
   *
   * Makes the next version from the draft. If a version with the same content exists, the response is 200 with that
   * version. An agent can have 10,000 versions. If the agent has tools of servers (kind `mcp`), the servers are asked for
   * them and what they say is kept in the version; if one does not answer, the response is 409.
   *
   * Requires the scope `agents:write`.
   */
  publish(id: string, body?: NewAgentVersion, options?: RequestOptions): ApiPromise<AgentVersionWithConfiguration> {
    return this.#client.send('POST', path`/agents/${id}/versions`, body, options)
  }

  /**
   * Get a version.
   *
   * Requires the scope `agents:read`.
   */
  getVersion(id: string, versionId: string, options?: RequestOptions): ApiPromise<AgentVersionWithConfiguration> {
    return this.#client.get(path`/agents/${id}/versions/${versionId}`, undefined, options)
  }

  /**
   * Compare versions.
   *
   * Returns what changed from the older to the newer version. The draft is newer than every version. Instructions are
   * compared by line, scripts by node, and all other fields by path.
   *
   * Requires the scope `agents:read`.
   */
  compareVersions(
    id: string,
    versionId: string,
    query: AgentsCompareVersionsQuery = {},
    options?: RequestOptions,
  ): ApiPromise<AgentDifference> {
    return this.#client.get(path`/agents/${id}/versions/${versionId}/diff`, query, options)
  }

  /**
   * Deploy a version.
   *
   * With a `percent` below 100 the version becomes the candidate: it serves that share of the counterparts, and the
   * deployed version the others. A counterpart stays with the same version, also when you raise the percentage. With 100,
   * the default, the version is deployed for all and a candidate ends. If the version names a tool, provider or model
   * that no longer exists, the response is 409. If the agent requires tests, and not all that are enabled have passed on
   * this version, it is 409 with `details.reason` `tests_required` and the last run of tests as `details.test_run_id`.
   *
   * Requires the scope `agents:write`.
   */
  deploy(id: string, body: NewDeployment, options?: RequestOptions): ApiPromise<AgentWithDraft> {
    return this.#client.send('POST', path`/agents/${id}/deploy`, body, options)
  }

  /**
   * Roll back an agent.
   *
   * Deploys the version that was deployed before the current one, and ends a candidate. Another rollback goes one version
   * further back. If there is none, or if it names a tool, provider or model that no longer exists, the response is 409.
   *
   * Requires the scope `agents:write`.
   */
  rollback(id: string, options?: RequestOptions): ApiPromise<AgentWithDraft> {
    return this.#client.send('POST', path`/agents/${id}/rollback`, undefined, options)
  }

  /**
   * List an agent's deployments.
   *
   * Newest first, with rollbacks.
   *
   * Requires the scope `agents:read`.
   */
  listDeployments(id: string, query: AgentsListDeploymentsQuery = {}, options?: RequestOptions): ApiList<Deployment> {
    return this.#client.list(path`/agents/${id}/deployments`, query, options)
  }
}

export class AgentTestsApi {
  readonly #client: Client

  constructor(client: Client) {
    this.#client = client
  }

  /**
   * List an agent's tests.
   *
   * Newest first.
   *
   * Requires the scope `agents:read`.
   */
  list(id: string, query: AgentTestsListQuery = {}, options?: RequestOptions): ApiList<AgentTest> {
    return this.#client.list(path`/agents/${id}/tests`, query, options)
  }

  /**
   * Create a test.
   *
   * A test says what a contact says, and what must hold for what the agent answers. Nothing happens before you run it:
   * see "Run tests". An agent can have 500 tests.
   *
   * Requires the scope `agents:write`.
   */
  create(id: string, body: NewAgentTest, options?: RequestOptions): ApiPromise<AgentTest> {
    return this.#client.send('POST', path`/agents/${id}/tests`, body, options)
  }

  /**
   * Get a test.
   *
   * Requires the scope `agents:read`.
   */
  get(id: string, testId: string, options?: RequestOptions): ApiPromise<AgentTest> {
    return this.#client.get(path`/agents/${id}/tests/${testId}`, undefined, options)
  }

  /**
   * Update a test.
   *
   * Fields that are not sent keep their values; lists are replaced as a whole. A run that has begun goes on with the test
   * as it was.
   *
   * Requires the scope `agents:write`.
   */
  update(id: string, testId: string, body: AgentTestChange, options?: RequestOptions): ApiPromise<AgentTest> {
    return this.#client.send('PATCH', path`/agents/${id}/tests/${testId}`, body, options)
  }

  /**
   * Delete a test.
   *
   * Results of runs stay.
   *
   * Requires the scope `agents:write`.
   */
  delete(id: string, testId: string, options?: RequestOptions): ApiPromise<Deleted> {
    return this.#client.send('DELETE', path`/agents/${id}/tests/${testId}`, undefined, options)
  }

  /**
   * Get how the tests stand.
   *
   * Says whether all tests have passed on what would be deployed: a version, or the draft. A deployment of an agent whose
   * `deploy_requires` is `tests` asks the same.
   *
   * Requires the scope `agents:read`.
   */
  getGate(id: string, query: AgentTestsGetGateQuery = {}, options?: RequestOptions): ApiPromise<TestGate> {
    return this.#client.get(path`/agents/${id}/test_gate`, query, options)
  }
}

export class TestRunsApi {
  readonly #client: Client

  constructor(client: Client) {
    this.#client = client
  }

  /**
   * Run tests.
   *
   * Runs tests in the background, by default all that are enabled, on the deployed version. Get the run to see how far it
   * is. No tool is really called unless a test says so, and nobody is called or written to. A workspace can have five
   * runs at once.
   *
   * Requires the scope `agents:write`.
   */
  create(id: string, body?: NewTestRun, options?: RequestOptions): ApiPromise<TestRun> {
    return this.#client.send('POST', path`/agents/${id}/test_runs`, body, options)
  }

  /**
   * List an agent's test runs.
   *
   * Newest first. Runs are kept for 90 days, and their conversations for 30.
   *
   * Requires the scope `agents:read`.
   */
  list(id: string, query: TestRunsListQuery = {}, options?: RequestOptions): ApiList<TestRun> {
    return this.#client.list(path`/agents/${id}/test_runs`, query, options)
  }

  /**
   * Get a test run.
   *
   * With `format=junit` the answer is a file for CI, which has no ids and times: two runs of the same tests on the same
   * version have the same file, unless a model takes part.
   *
   * Requires the scope `agents:read`.
   */
  get(
    id: string,
    query?: TestRunsGetQuery & { format?: 'json' },
    options?: RequestOptions,
  ): ApiPromise<TestRunWithResults>
  get(id: string, query: TestRunsGetQuery, options?: RequestOptions): ApiPromise<string>
  get(id: string, query: TestRunsGetQuery = {}, options?: RequestOptions): ApiPromise<TestRunWithResults | string> {
    return this.#client.get(path`/test_runs/${id}`, query, options)
  }

  /**
   * List the results of a test run.
   *
   * In the order of the tests.
   *
   * Requires the scope `agents:read`.
   */
  listResults(id: string, query: TestRunsListResultsQuery = {}, options?: RequestOptions): ApiList<TestRunResult> {
    return this.#client.list(path`/test_runs/${id}/results`, query, options)
  }

  /**
   * Cancel a test run.
   *
   * Results that it has stay.
   *
   * Requires the scope `agents:write`.
   */
  cancel(id: string, options?: RequestOptions): ApiPromise<TestRun> {
    return this.#client.send('POST', path`/test_runs/${id}/cancel`, undefined, options)
  }
}

export class ProvidersApi {
  readonly #client: Client

  constructor(client: Client) {
    this.#client = client
  }

  /**
   * Create a provider.
   *
   * An account at a model service that agents use: see "Models" and "Speech" in the guide. The `api_key` is stored
   * encrypted and never returned. A workspace can have 20 providers.
   *
   * Requires the scope `providers:write`.
   */
  create(body: NewProvider, options?: RequestOptions): ApiPromise<Provider> {
    return this.#client.send('POST', '/providers', body, options)
  }

  /**
   * List providers.
   *
   * Newest first. Providers from the environment come last.
   *
   * Requires the scope `providers:read`.
   */
  list(query: ProvidersListQuery = {}, options?: RequestOptions): ApiList<Provider> {
    return this.#client.list('/providers', query, options)
  }

  /**
   * Get a provider.
   *
   * Requires the scope `providers:read`.
   */
  get(id: string, options?: RequestOptions): ApiPromise<Provider> {
    return this.#client.get(path`/providers/${id}`, undefined, options)
  }

  /**
   * Update a provider.
   *
   * Fields that are not sent keep their values. A provider that an agent names keeps its `name`. With a new scheme, host
   * or port in `base_url`, the stored API key is removed, unless `api_key` is sent too.
   *
   * Requires the scope `providers:write`.
   */
  update(id: string, body: ProviderChange, options?: RequestOptions): ApiPromise<Provider> {
    return this.#client.send('PATCH', path`/providers/${id}`, body, options)
  }

  /**
   * Delete a provider.
   *
   * Fails with `details.used_by` while the draft, the deployed version or the candidate of an agent names it.
   *
   * Requires the scope `providers:write`.
   */
  delete(id: string, options?: RequestOptions): ApiPromise<Deleted> {
    return this.#client.send('DELETE', path`/providers/${id}`, undefined, options)
  }

  /**
   * Test a provider.
   *
   * Sends a short request to the default model, and waits for the answer. A provider for speech only makes or hears a
   * second of sound. What the provider answers is not returned. A workspace can test one provider or tool per second.
   *
   * Requires the scope `providers:write`.
   */
  test(id: string, options?: RequestOptions): ApiPromise<TestResult> {
    return this.#client.send('POST', path`/providers/${id}/test`, undefined, options)
  }
}

export class ToolsApi {
  readonly #client: Client

  constructor(client: Client) {
    this.#client = client
  }

  /**
   * Create a tool.
   *
   * A request to your server that agents can make, or the tools of a server that speaks the Model Context Protocol: see
   * "Tools" in the guide. The `secret` that signs the requests is returned only this once. A workspace can have 200
   * tools.
   *
   * Requires the scope `tools:write`.
   */
  create(body: NewTool, options?: RequestOptions): ApiPromise<ToolWithSecret> {
    return this.#client.send('POST', '/tools', body, options)
  }

  /**
   * List tools.
   *
   * Newest first.
   *
   * Requires the scope `tools:read`.
   */
  list(query: ToolsListQuery = {}, options?: RequestOptions): ApiList<Tool> {
    return this.#client.list('/tools', query, options)
  }

  /**
   * Get a tool.
   *
   * Requires the scope `tools:read`.
   */
  get(id: string, options?: RequestOptions): ApiPromise<Tool> {
    return this.#client.get(path`/tools/${id}`, undefined, options)
  }

  /**
   * Update a tool.
   *
   * Fields that are not sent keep their values. With a new scheme, host or port in `url`, stored headers are removed,
   * unless their values are sent too.
   *
   * Requires the scope `tools:write`.
   */
  update(id: string, body: ToolChange, options?: RequestOptions): ApiPromise<Tool> {
    return this.#client.send('PATCH', path`/tools/${id}`, body, options)
  }

  /**
   * Delete a tool.
   *
   * Fails with `details.used_by` while the draft, the deployed version or the candidate of an agent names it.
   *
   * Requires the scope `tools:write`.
   */
  delete(id: string, options?: RequestOptions): ApiPromise<Deleted> {
    return this.#client.send('DELETE', path`/tools/${id}`, undefined, options)
  }

  /**
   * List a server's tools.
   *
   * Asks the server of a tool of kind `mcp` for its tools. If it does not answer within `timeout_ms`, or not as the
   * protocol says, `error` says so.
   *
   * Requires the scope `tools:write`.
   */
  listMcpTools(id: string, options?: RequestOptions): ApiPromise<McpTools> {
    return this.#client.get(path`/tools/${id}/mcp_tools`, undefined, options)
  }

  /**
   * Rotate a tool's secret.
   *
   * Returns the new secret, only this once. For 24 hours the previous secret also signs: the header has both signatures.
   * A secret from an earlier rotation stops at once.
   *
   * Requires the scope `tools:write`.
   */
  rotateSecret(id: string, options?: RequestOptions): ApiPromise<ToolWithSecret> {
    return this.#client.send('POST', path`/tools/${id}/rotate_secret`, undefined, options)
  }

  /**
   * Test a tool.
   *
   * Calls the tool as an agent would, without a conversation. What it answers is not returned. With a tool of kind `mcp`,
   * its server is asked for its tools. A workspace can test one provider or tool per second.
   *
   * Requires the scope `tools:write`.
   */
  test(id: string, body?: ToolTest, options?: RequestOptions): ApiPromise<TestResult> {
    return this.#client.send('POST', path`/tools/${id}/test`, body, options)
  }
}

export class DocumentsApi {
  readonly #client: Client

  constructor(client: Client) {
    this.#client = client
  }

  /**
   * Add a document.
   *
   * Something that agents can look up: see "Knowledge" in the guide. Send a file as `multipart/form-data` with the parts
   * `file` (text, Markdown, HTML, PDF, Word or CSV, at most 20 MB) and `options` (JSON), or send `text` or `url` as JSON.
   * The document is read in the background: get it until its `status` is `ready` or `failed`.
   *
   * A workspace can have 1,000 documents, with 200,000 passages and 500 MB together. A `url` is fetched once, and again
   * when you refresh the document. It must lead to a public address, also where it redirects.
   *
   * Requires the scope `documents:write`.
   */
  create(body: NewDocument | Upload<DocumentOptions>, options?: RequestOptions): ApiPromise<Document> {
    return this.#client.upload('/documents', body, options)
  }

  /**
   * List documents.
   *
   * Newest first.
   *
   * Requires the scope `documents:read`.
   */
  list(query: DocumentsListQuery = {}, options?: RequestOptions): ApiList<Document> {
    return this.#client.list('/documents', query, options)
  }

  /**
   * Search documents.
   *
   * Shows what an agent would find. If the default provider, or else another one, has an `embedding_model`, the best 200
   * passages are ranked by what they mean.
   *
   * Requires the scope `documents:read`.
   */
  search(query: DocumentsSearchQuery, options?: RequestOptions): ApiPromise<DocumentSearch> {
    return this.#client.get('/documents/search', query, options)
  }

  /**
   * List unanswered questions.
   *
   * What agents have looked up and not found in the last 30 days, newest first. Questions of a conversation are deleted
   * when it is redacted.
   *
   * Requires the scope `documents:read`.
   */
  listUnanswered(query: DocumentsListUnansweredQuery = {}, options?: RequestOptions): ApiList<UnansweredQuestion> {
    return this.#client.list('/documents/unanswered', query, options)
  }

  /**
   * Get a document.
   *
   * Requires the scope `documents:read`.
   */
  get(id: string, options?: RequestOptions): ApiPromise<Document> {
    return this.#client.get(path`/documents/${id}`, undefined, options)
  }

  /**
   * Update a document.
   *
   * Fields that are not sent keep their values. With a new name or language the document is read again; until then it is
   * found as before.
   *
   * Requires the scope `documents:write`.
   */
  update(id: string, body: DocumentChange, options?: RequestOptions): ApiPromise<Document> {
    return this.#client.send('PATCH', path`/documents/${id}`, body, options)
  }

  /**
   * Delete a document.
   *
   * Fails with `details.used_by` while the draft, the deployed version or the candidate of an agent names it by its id.
   *
   * Requires the scope `documents:write`.
   */
  delete(id: string, options?: RequestOptions): ApiPromise<Deleted> {
    return this.#client.send('DELETE', path`/documents/${id}`, undefined, options)
  }

  /**
   * Refresh a document.
   *
   * Fetches a document from its URL again. What was read before is found until then, and also if that fails: then `error`
   * says why. Documents from files and texts can not be refreshed.
   *
   * Requires the scope `documents:write`.
   */
  refresh(id: string, options?: RequestOptions): ApiPromise<Document> {
    return this.#client.send('POST', path`/documents/${id}/refresh`, undefined, options)
  }
}

export class ChannelsApi {
  readonly #client: Client

  constructor(client: Client) {
    this.#client = client
  }

  /**
   * List channels.
   *
   * Newest first. Owners set channels up in the dashboard or on the command line.
   *
   * Requires the scope `channels:read`.
   */
  list(query: ChannelsListQuery = {}, options?: RequestOptions): ApiList<Channel> {
    return this.#client.list('/channels', query, options)
  }

  /**
   * Get a channel.
   *
   * Requires the scope `channels:read`.
   */
  get(id: string, options?: RequestOptions): ApiPromise<Channel> {
    return this.#client.get(path`/channels/${id}`, undefined, options)
  }
}

export class ConversationsApi {
  readonly #client: Client

  constructor(client: Client) {
    this.#client = client
  }

  /**
   * Make a test of a conversation.
   *
   * Makes a test of kind `conversation`: what the contact has said to the agent, what tools have answered, and as
   * expectations what the agent did. The name, number, email, address, company and custom fields of the contact are
   * replaced by made-up ones wherever they occur. Read it before you keep it: what is said about other people stays.
   * Nothing refers to the conversation, so the test stays when the conversation is redacted or deleted.
   *
   * Requires the scopes `agents:write` and `conversations:read`.
   */
  makeTest(id: string, options?: RequestOptions): ApiPromise<AgentTest> {
    return this.#client.send('POST', path`/conversations/${id}/make_test`, undefined, options)
  }

  /**
   * Start a conversation.
   *
   * Starts a conversation with an agent over the API. With `message`, the contact begins. Without it, the agent says its
   * greeting or the first words of its script, if it has any. Read its answers with the turns or the stream of the
   * conversation.
   *
   * Requires the scope `conversations:write`.
   */
  create(body: NewConversation, options?: RequestOptions): ApiPromise<Conversation> {
    return this.#client.send('POST', '/conversations', body, options)
  }

  /**
   * List conversations.
   *
   * Newest first. Trials are left out unless you ask for them with `is_test=true`.
   *
   * Requires the scope `conversations:read`.
   */
  list(query: ConversationsListQuery = {}, options?: RequestOptions): ApiList<Conversation> {
    return this.#client.list('/conversations', query, options)
  }

  /**
   * Get a conversation.
   *
   * Requires the scope `conversations:read`.
   */
  get(id: string, options?: RequestOptions): ApiPromise<Conversation> {
    return this.#client.get(path`/conversations/${id}`, undefined, options)
  }

  /**
   * Say something as the contact.
   *
   * Adds the contact's words, and returns them as a turn at once. The agent answers in the background. Words that arrive
   * while the agent answers interrupt it: it then answers all of them together. Only for conversations of kind `api`.
   *
   * Requires the scope `conversations:write`.
   */
  say(id: string, body: NewMessage, options?: RequestOptions): ApiPromise<Turn> {
    return this.#client.send('POST', path`/conversations/${id}/messages`, body, options)
  }

  /**
   * List turns, or wait for an answer.
   *
   * Returns finished turns, oldest first. With `after`, only those after this one. With `wait_ms`, it returns as soon as
   * a turn of the agent or a person after `after` is finished or the status changes, at once if the conversation is
   * closed, and else after the wait. A workspace can have 200 such requests waiting at a time. A `cursor` is the place
   * itself: leave out `after` and `wait_ms`.
   *
   * Requires the scope `conversations:read`.
   */
  listTurns(id: string, query: ConversationsListTurnsQuery = {}, options?: RequestOptions): ApiList<Turn> {
    return this.#client.list(path`/conversations/${id}/turns`, query, options)
  }

  /**
   * Stream a conversation.
   *
   * Sends what happens in the conversation, as server-sent events: `turn.started` with `{seq, role}`, `turn.delta` with
   * `{seq, text}` while the agent answers, `turn.finished` with `{turn}`, and `conversation.updated` with
   * `{conversation}`. It begins with the conversation and the turns after `Last-Event-ID`, or else with new ones. Only
   * finished turns have an id, their `seq`. An answer that another process makes comes whole, as `turn.finished`.
   *
   * Requires the scope `conversations:read`.
   */
  stream(
    id: string,
    from: StreamOptions = {},
    options?: RequestOptions,
  ): AsyncGenerator<ConversationsStreamEvent, void, undefined> {
    return this.#client.stream(path`/conversations/${id}/stream`, from, options)
  }

  /**
   * Hand a conversation over to a person.
   *
   * The agent is silent from now on, and people answer: see "Answer as a person".
   *
   * Requires the scope `conversations:write`.
   */
  handOver(id: string, body?: HandOver, options?: RequestOptions): ApiPromise<Conversation> {
    return this.#client.send('POST', path`/conversations/${id}/hand_over`, body, options)
  }

  /**
   * Answer as a person.
   *
   * Only while the conversation is handed over.
   *
   * Requires the scope `conversations:write`.
   */
  answer(id: string, body: NewMessage, options?: RequestOptions): ApiPromise<Turn> {
    return this.#client.send('POST', path`/conversations/${id}/answers`, body, options)
  }

  /**
   * Give a conversation back to the agent.
   *
   * The agent also answers what the contact has said meanwhile.
   *
   * Requires the scope `conversations:write`.
   */
  takeBack(id: string, options?: RequestOptions): ApiPromise<Conversation> {
    return this.#client.send('POST', path`/conversations/${id}/take_back`, undefined, options)
  }

  /**
   * Close a conversation.
   *
   * Nothing more can be said in it.
   *
   * Requires the scope `conversations:write`.
   */
  close(id: string, options?: RequestOptions): ApiPromise<Conversation> {
    return this.#client.send('POST', path`/conversations/${id}/close`, undefined, options)
  }

  /**
   * Link a web chat to a contact.
   *
   * A number that a visitor of a web chat has typed is not verified, and does not link the conversation to a contact.
   * Link it when you have made sure who it is: the agent then knows the contact, and its tools may change it.
   *
   * Requires the scope `conversations:write`.
   */
  link(id: string, body: Link, options?: RequestOptions): ApiPromise<Conversation> {
    return this.#client.send('POST', path`/conversations/${id}/link`, body, options)
  }

  /**
   * Redact a conversation.
   *
   * Erases what was said, for good: the words, the counterpart's number, variables, metadata, results, the summary, and
   * the arguments and results of tools, also in events, webhook deliveries and stored answers. A conversation that is not
   * closed is closed before. In the dashboard only owners may do this.
   *
   * Requires the scope `conversations:write`.
   */
  redact(id: string, options?: RequestOptions): ApiPromise<Conversation> {
    return this.#client.send('POST', path`/conversations/${id}/redact`, undefined, options)
  }
}

export class CallsApi {
  readonly #client: Client

  constructor(client: Client) {
    this.#client = client
  }

  /**
   * Place a call.
   *
   * An agent calls a number or a contact, now or at `scheduled_at`. The number is dialled in the background: follow the
   * call with its live stream, or with events. With `simulate`, a simulated person answers instead. An agent that can
   * neither hear nor speak calls no telephones: `details.reason` is `speech_not_installed` or `speech_not_available`.
   *
   * Requires the scope `calls:write`.
   */
  create(body: NewCall, options?: RequestOptions): ApiPromise<Call> {
    return this.#client.send('POST', '/calls', body, options)
  }

  /**
   * List calls.
   *
   * Newest first. With `search`, only those in which these words were said.
   *
   * Requires the scope `calls:read`.
   */
  list(query: CallsListQuery = {}, options?: RequestOptions): ApiList<Call> {
    return this.#client.list('/calls', query, options)
  }

  /**
   * Talk in a browser.
   *
   * Prepares a call with an agent over a WebSocket: see "Voice in the browser" in the guide. The call is `queued` until
   * the socket is opened with the token. If that does not happen within 60 seconds, the call is `failed`.
   *
   * Requires the scope `calls:write`.
   */
  createWeb(body: NewWebCall, options?: RequestOptions): ApiPromise<WebCall> {
    return this.#client.send('POST', '/calls/web', body, options)
  }

  /**
   * Get a call.
   *
   * Requires the scope `calls:read`.
   */
  get(id: string, options?: RequestOptions): ApiPromise<Call> {
    return this.#client.get(path`/calls/${id}`, undefined, options)
  }

  /**
   * Update a call.
   *
   * Replaces the metadata.
   *
   * Requires the scope `calls:write`.
   */
  update(id: string, body: CallChange, options?: RequestOptions): ApiPromise<Call> {
    return this.#client.send('PATCH', path`/calls/${id}`, body, options)
  }

  /**
   * Cancel a call.
   *
   * Before it is answered. A call that was not dialled yet is canceled at once; one that rings ends within seconds.
   *
   * Requires the scope `calls:write`.
   */
  cancel(id: string, options?: RequestOptions): ApiPromise<Call> {
    return this.#client.send('POST', path`/calls/${id}/cancel`, undefined, options)
  }

  /**
   * Hang up.
   *
   * Ends a call in progress, within seconds.
   *
   * Requires the scope `calls:write`.
   */
  hangUp(id: string, options?: RequestOptions): ApiPromise<Call> {
    return this.#client.send('POST', path`/calls/${id}/hang_up`, undefined, options)
  }

  /**
   * List what happened on the line.
   *
   * What the carrier has reported and how the call ended, each once, in the order in which it became known.
   *
   * Requires the scope `calls:read`.
   */
  listEvents(id: string, query: CallsListEventsQuery = {}, options?: RequestOptions): ApiList<CallEvent> {
    return this.#client.list(path`/calls/${id}/events`, query, options)
  }

  /**
   * Follow a call.
   *
   * Sends what happens in the call, as server-sent events: `call.updated` with `{call}`, and the events of the
   * conversation's stream. It begins with the call and the turns after `Last-Event-ID`, or else all turns, and ends with
   * the call.
   *
   * Requires the scope `calls:read`.
   */
  live(
    id: string,
    from: StreamOptions = {},
    options?: RequestOptions,
  ): AsyncGenerator<CallsLiveEvent, void, undefined> {
    return this.#client.stream(path`/calls/${id}/live`, from, options)
  }

  /**
   * Redact a call.
   *
   * Erases what was said, for good: the words, the recording, the numbers, variables, metadata, results and the summary,
   * also in events, webhook deliveries and stored answers. A call that was not dialled yet is canceled before; one that
   * goes on must be ended first. In the dashboard only owners may do this.
   *
   * Requires the scope `calls:write`.
   */
  redact(id: string, options?: RequestOptions): ApiPromise<Call> {
    return this.#client.send('POST', path`/calls/${id}/redact`, undefined, options)
  }

  /**
   * Get the transcript of a call.
   *
   * What was said so far, with the times of each word. `text` is what was to be said, and `heard` what was heard of it.
   * Subtitles have cues of at most 7 seconds and 84 characters.
   *
   * Requires the scope `calls:read`.
   */
  getTranscript(
    id: string,
    query?: CallsGetTranscriptQuery & { format?: 'json' },
    options?: RequestOptions,
  ): ApiPromise<Transcript>
  getTranscript(id: string, query: CallsGetTranscriptQuery, options?: RequestOptions): ApiPromise<string>
  getTranscript(
    id: string,
    query: CallsGetTranscriptQuery = {},
    options?: RequestOptions,
  ): ApiPromise<Transcript | string> {
    return this.#client.get(path`/calls/${id}/transcript`, query, options)
  }

  /**
   * Download the recording of a call.
   *
   * A WAV file with two channels, the contact left and the agent right, as long as the call. The recording of a simulated
   * call is rendered when you request it for the first time. If that takes longer than 20 seconds, you get 409 with
   * `details.reason` `rendering`: try again after `Retry-After` seconds.
   *
   * Requires the scope `recordings:read`.
   */
  getRecording(id: string, options?: RequestOptions): Promise<Response> {
    return this.#client.file(path`/calls/${id}/recording`, undefined, options)
  }

  /**
   * Delete the recording of a call.
   *
   * For good. The call and its transcript stay. In the dashboard only owners may do this.
   *
   * Requires the scope `recordings:write`.
   */
  deleteRecording(id: string, options?: RequestOptions): ApiPromise<Call> {
    return this.#client.send('DELETE', path`/calls/${id}/recording`, undefined, options)
  }
}

export class CampaignsApi {
  readonly #client: Client

  constructor(client: Client) {
    this.#client = client
  }

  /**
   * Create a campaign.
   *
   * A draft, in which nobody is reached. Enroll contacts, then start it. A workspace can have 100 campaigns that are not
   * completed or canceled.
   *
   * Requires the scope `campaigns:write`.
   */
  create(body: NewCampaign, options?: RequestOptions): ApiPromise<Campaign> {
    return this.#client.send('POST', '/campaigns', body, options)
  }

  /**
   * List campaigns.
   *
   * Newest first.
   *
   * Requires the scope `campaigns:read`.
   */
  list(query: CampaignsListQuery = {}, options?: RequestOptions): ApiList<Campaign> {
    return this.#client.list('/campaigns', query, options)
  }

  /**
   * Get a campaign.
   *
   * Requires the scope `campaigns:read`.
   */
  get(id: string, options?: RequestOptions): ApiPromise<Campaign> {
    return this.#client.get(path`/campaigns/${id}`, undefined, options)
  }

  /**
   * Update a campaign.
   *
   * Everything can change until the campaign runs. After that `name`, `windows`, `holidays`, `pacing`, `retry`, `caps`
   * and `ends_at` can, from the next second on. Members of `pacing` and `caps` that are not sent keep their values; lists
   * and `variables` are replaced.
   *
   * Requires the scope `campaigns:write`.
   */
  update(id: string, body: CampaignChange, options?: RequestOptions): ApiPromise<Campaign> {
    return this.#client.send('PATCH', path`/campaigns/${id}`, body, options)
  }

  /**
   * Delete a campaign.
   *
   * Deletes a draft, or a campaign that is completed or canceled, with its enrollments. Its calls stay. Cancel others
   * first.
   *
   * Requires the scope `campaigns:write`.
   */
  delete(id: string, options?: RequestOptions): ApiPromise<Deleted> {
    return this.#client.send('DELETE', path`/campaigns/${id}`, undefined, options)
  }

  /**
   * Start a campaign.
   *
   * A draft becomes `running`, or `scheduled` until `starts_at`. It needs contacts, and a channel to reach them from.
   *
   * Requires the scope `campaigns:write`.
   */
  start(id: string, options?: RequestOptions): ApiPromise<Campaign> {
    return this.#client.send('POST', path`/campaigns/${id}/start`, undefined, options)
  }

  /**
   * Pause a campaign.
   *
   * No attempt begins after the answer. Those in progress go on to their end.
   *
   * Requires the scope `campaigns:write`.
   */
  pause(id: string, options?: RequestOptions): ApiPromise<Campaign> {
    return this.#client.send('POST', path`/campaigns/${id}/pause`, undefined, options)
  }

  /**
   * Resume a campaign.
   *
   * A paused campaign runs again, or is scheduled again until `starts_at`.
   *
   * Requires the scope `campaigns:write`.
   */
  resume(id: string, options?: RequestOptions): ApiPromise<Campaign> {
    return this.#client.send('POST', path`/campaigns/${id}/resume`, undefined, options)
  }

  /**
   * Cancel a campaign.
   *
   * Ends it for good. Attempts in progress go on to their end; all other contacts are canceled in the background.
   *
   * Requires the scope `campaigns:write`.
   */
  cancel(id: string, options?: RequestOptions): ApiPromise<Campaign> {
    return this.#client.send('POST', path`/campaigns/${id}/cancel`, undefined, options)
  }

  /**
   * Forecast a campaign.
   *
   * Runs the campaign from now on with simulated people, in memory: nobody is called, and nothing changes. For an agent
   * with a script, a test workspace then does exactly the same. At most 10,000 contacts are simulated. Workspaces take
   * turns, with one forecast at a time each (409). One that waits or takes too long is 503, with `Retry-After`.
   *
   * Requires the scope `campaigns:read`.
   */
  forecast(id: string, body?: NewForecast, options?: RequestOptions): ApiPromise<Forecast> {
    return this.#client.send('POST', path`/campaigns/${id}/forecast`, body, options)
  }

  /**
   * Clone a campaign.
   *
   * Creates a draft with the same settings, without contacts, `starts_at` and `ends_at`.
   *
   * Requires the scope `campaigns:write`.
   */
  clone(id: string, options?: RequestOptions): ApiPromise<Campaign> {
    return this.#client.send('POST', path`/campaigns/${id}/clone`, undefined, options)
  }

  /**
   * Get the progress of a campaign.
   *
   * How many contacts and attempts there are, and how fast it goes.
   *
   * Requires the scope `campaigns:read`.
   */
  getProgress(id: string, options?: RequestOptions): ApiPromise<CampaignProgress> {
    return this.#client.get(path`/campaigns/${id}/progress`, undefined, options)
  }

  /**
   * Download the report of a campaign.
   *
   * Returns a row for each contact, as CSV: number, status, reason, attempts, last outcome, and a column for each of the
   * agent's `results`, with what the last call or conversation has collected.
   *
   * Requires the scope `campaigns:read`.
   */
  getReport(id: string, options?: RequestOptions): Promise<Response> {
    return this.#client.file(path`/campaigns/${id}/report`, undefined, options)
  }
}

export class EnrollmentsApi {
  readonly #client: Client

  constructor(client: Client) {
    this.#client = client
  }

  /**
   * Enroll contacts.
   *
   * Adds contacts by their ids, with variables for each, or all that match a filter: send exactly one of `contact_ids`,
   * `contacts` and `filter`. Up to 1,000 are enrolled at once (201). Of more, the first 1,000 are, and the rest follows
   * in the background (202). A contact is in a campaign once. A campaign can have 1,000,000 contacts: a request that
   * finds no room is refused (409), and those left out in the background are `not_enrolled` in the progress of the
   * campaign.
   *
   * Requires the scope `campaigns:write`.
   */
  create(id: string, body?: NewEnrollments, options?: RequestOptions): ApiPromise<Enrolled> {
    return this.#client.send('POST', path`/campaigns/${id}/enrollments`, body, options)
  }

  /**
   * List the enrollments of a campaign.
   *
   * Newest first.
   *
   * Requires the scope `campaigns:read`.
   */
  list(id: string, query: EnrollmentsListQuery = {}, options?: RequestOptions): ApiList<Enrollment> {
    return this.#client.list(path`/campaigns/${id}/enrollments`, query, options)
  }

  /**
   * List the enrollments of a contact.
   *
   * Newest first.
   *
   * Requires the scope `campaigns:read`.
   */
  listOfContact(id: string, query: EnrollmentsListOfContactQuery = {}, options?: RequestOptions): ApiList<Enrollment> {
    return this.#client.list(path`/contacts/${id}/enrollments`, query, options)
  }

  /**
   * Get an enrollment.
   *
   * Requires the scope `campaigns:read`.
   */
  get(id: string, options?: RequestOptions): ApiPromise<Enrollment> {
    return this.#client.get(path`/enrollments/${id}`, undefined, options)
  }

  /**
   * Delete an enrollment.
   *
   * Takes the contact out of the campaign. Not while an attempt is in progress. The contact's calls stay.
   *
   * Requires the scope `campaigns:write`.
   */
  delete(id: string, options?: RequestOptions): ApiPromise<Deleted> {
    return this.#client.send('DELETE', path`/enrollments/${id}`, undefined, options)
  }

  /**
   * Explain an enrollment.
   *
   * Says what the dialer would do with the contact, and why: every rule with its verdict. At a later time: if nothing
   * else happens until then.
   *
   * Requires the scope `campaigns:read`.
   */
  explain(id: string, query: EnrollmentsExplainQuery = {}, options?: RequestOptions): ApiPromise<Explanation> {
    return this.#client.get(path`/enrollments/${id}/explain`, query, options)
  }

  /**
   * Retry an enrollment.
   *
   * Tries a contact again that is done, as if it had just been enrolled: `attempts` begins at 0. Consent, quiet hours and
   * caps still hold.
   *
   * Requires the scope `campaigns:write`.
   */
  retry(id: string, options?: RequestOptions): ApiPromise<Enrollment> {
    return this.#client.send('POST', path`/enrollments/${id}/retry`, undefined, options)
  }

  /**
   * Skip an enrollment.
   *
   * No further attempt is made to reach the contact in this campaign.
   *
   * Requires the scope `campaigns:write`.
   */
  skip(id: string, options?: RequestOptions): ApiPromise<Enrollment> {
    return this.#client.send('POST', path`/enrollments/${id}/skip`, undefined, options)
  }
}

export class AnalyticsApi {
  readonly #client: Client

  constructor(client: Client) {
    this.#client = client
  }

  /**
   * Get analytics of calls.
   *
   * Rows by hours, days or weeks, and their total. Trials are left out, and in a live workspace simulated calls. What was
   * redacted or deleted is still counted. A call counts from its end on, at the time at which it was dialled or received.
   *
   * Requires the scope `analytics:read`.
   */
  calls(query: AnalyticsCallsQuery = {}, options?: RequestOptions): ApiPromise<CallAnalytics> {
    return this.#client.get('/analytics/calls', query, options)
  }

  /**
   * Get analytics of conversations.
   *
   * Rows by hours, days or weeks, and their total. Trials are left out, and in a live workspace simulated calls. What was
   * redacted or deleted is still counted. These are conversations by text: calls have their own analytics. All that
   * happens in a conversation counts at the time at which it began.
   *
   * Requires the scope `analytics:read`.
   */
  conversations(query: AnalyticsConversationsQuery = {}, options?: RequestOptions): ApiPromise<ConversationAnalytics> {
    return this.#client.get('/analytics/conversations', query, options)
  }

  /**
   * Get analytics of campaigns.
   *
   * Rows by hours, days or weeks, and their total. Trials are left out, and in a live workspace simulated calls. What was
   * redacted or deleted is still counted. An attempt counts from its end on, at the time at which it began.
   *
   * Requires the scope `analytics:read`.
   */
  campaigns(query: AnalyticsCampaignsQuery = {}, options?: RequestOptions): ApiPromise<CampaignAnalytics> {
    return this.#client.get('/analytics/campaigns', query, options)
  }
}

export class EventsApi {
  readonly #client: Client

  constructor(client: Client) {
    this.#client = client
  }

  /**
   * List events.
   *
   * Returns the events of the workspace, newest first. With `after`, returns the events after that one, in the order in
   * which they were committed; an `after` that is unknown or too old gives 400. Events are kept for 30 days unless the
   * service is configured otherwise. A key sees only events of resources that it may read: `contact.*` and `import.*`
   * require `contacts:read`, `agent.*` requires `agents:read`, and so on.
   *
   * Requires the scope `events:read`.
   */
  list(query: EventsListQuery = {}, options?: RequestOptions): ApiList<WorkspaceEvent> {
    return this.#client.list('/events', query, options)
  }

  /**
   * Stream events.
   *
   * Sends events as they happen, as server-sent events. It starts after the event that `Last-Event-ID` or `after` names,
   * or else with new events. Events come in order; none is skipped or repeated. `data` is the event as in the list, on
   * one line. A quiet stream sends a comment every 15 seconds. The stream ends when the key is revoked or expires, or
   * when the service stops: reconnect with the last id that you received. It sends the same types as the list.
   *
   * Requires the scope `events:read`.
   */
  stream(
    from: EventsStreamQuery & StreamOptions = {},
    options?: RequestOptions,
  ): AsyncGenerator<EventsStreamEvent, void, undefined> {
    return this.#client.stream('/events/stream', from, options)
  }

  /**
   * Get an event.
   *
   * Requires the scope `events:read`.
   */
  get(id: string, options?: RequestOptions): ApiPromise<WorkspaceEvent> {
    return this.#client.get(path`/events/${id}`, undefined, options)
  }
}

export class OverviewApi {
  readonly #client: Client

  constructor(client: Client) {
    this.#client = client
  }

  /**
   * Get an overview.
   *
   * Returns exact counts of contacts and the latest events that the caller may read.
   *
   * Requires the scope `overview:read`.
   */
  get(options?: RequestOptions): ApiPromise<Overview> {
    return this.#client.get('/overview', undefined, options)
  }
}

export class WebhooksApi {
  readonly #client: Client

  constructor(client: Client) {
    this.#client = client
  }

  /**
   * Create a webhook.
   *
   * Sends new events to `url` as Standard Webhooks, each at least once: see "Webhooks" in the guide. The `secret` that
   * signs the requests is returned only this once. A workspace can have 100 webhooks. A key needs the scopes of all
   * `events`: `call.*`, for example, requires `calls:read`, and `*` all of them but `api_keys:read`.
   *
   * Requires the scope `webhooks:write`.
   */
  create(body: NewWebhook, options?: RequestOptions): ApiPromise<WebhookWithSecret> {
    return this.#client.send('POST', '/webhooks', body, options)
  }

  /**
   * List webhooks.
   *
   * Newest first.
   *
   * Requires the scope `webhooks:read`.
   */
  list(query: WebhooksListQuery = {}, options?: RequestOptions): ApiList<Webhook> {
    return this.#client.list('/webhooks', query, options)
  }

  /**
   * Get a webhook.
   *
   * Requires the scope `webhooks:read`.
   */
  get(id: string, options?: RequestOptions): ApiPromise<Webhook> {
    return this.#client.get(path`/webhooks/${id}`, undefined, options)
  }

  /**
   * Update a webhook.
   *
   * Fields that are not sent keep their values. With the `status` `disabled` no more events are sent; `active` enables
   * the webhook again. A key needs the scopes of the `events` that it adds. To change `url` it needs those of all
   * `events`, and of all deliveries that are pending.
   *
   * Requires the scope `webhooks:write`.
   */
  update(id: string, body: WebhookChange, options?: RequestOptions): ApiPromise<Webhook> {
    return this.#client.send('PATCH', path`/webhooks/${id}`, body, options)
  }

  /**
   * Delete a webhook.
   *
   * Deletes the webhook with its deliveries. Pending deliveries are not sent.
   *
   * Requires the scope `webhooks:write`.
   */
  delete(id: string, options?: RequestOptions): ApiPromise<Deleted> {
    return this.#client.send('DELETE', path`/webhooks/${id}`, undefined, options)
  }

  /**
   * Rotate a webhook's secret.
   *
   * Returns the new secret, only this once. For 24 hours the previous secret also signs: the header has both signatures.
   * A secret from an earlier rotation stops at once.
   *
   * Requires the scope `webhooks:write`.
   */
  rotateSecret(id: string, options?: RequestOptions): ApiPromise<WebhookWithSecret> {
    return this.#client.send('POST', path`/webhooks/${id}/rotate_secret`, undefined, options)
  }

  /**
   * Test a webhook.
   *
   * Sends a `webhook.test` event to this webhook. It does not need to subscribe to it. Get the delivery to see the
   * result.
   *
   * Requires the scope `webhooks:write`.
   */
  test(id: string, options?: RequestOptions): ApiPromise<Delivery> {
    return this.#client.send('POST', path`/webhooks/${id}/test`, undefined, options)
  }

  /**
   * List a webhook's deliveries.
   *
   * Newest first. Deliveries are kept as long as their events.
   *
   * Requires the scope `webhooks:read`.
   */
  listDeliveries(id: string, query: WebhooksListDeliveriesQuery = {}, options?: RequestOptions): ApiList<Delivery> {
    return this.#client.list(path`/webhooks/${id}/deliveries`, query, options)
  }

  /**
   * Count a webhook's deliveries.
   *
   * Counts the deliveries of the current hour and the 23 before it by their status, for each hour.
   *
   * Requires the scope `webhooks:read`.
   */
  countDeliveries(id: string, options?: RequestOptions): ApiPromise<DeliveryCounts> {
    return this.#client.get(path`/webhooks/${id}/delivery_counts`, undefined, options)
  }

  /**
   * Get a delivery.
   *
   * Returns the delivery with the body of its request and its attempts. A key needs the scope of the event: `call.ended`,
   * for example, requires `calls:read`.
   *
   * Requires the scope `webhooks:read`.
   */
  getDelivery(id: string, deliveryId: string, options?: RequestOptions): ApiPromise<DeliveryWithAttempts> {
    return this.#client.get(path`/webhooks/${id}/deliveries/${deliveryId}`, undefined, options)
  }

  /**
   * Resend a delivery.
   *
   * Sends the delivery again at once. It may have any status, and starts over with the first attempt. If the webhook no
   * longer subscribes to its type, a key needs the scope of the event.
   *
   * Requires the scope `webhooks:write`.
   */
  resendDelivery(id: string, deliveryId: string, options?: RequestOptions): ApiPromise<Delivery> {
    return this.#client.send('POST', path`/webhooks/${id}/deliveries/${deliveryId}/resend`, undefined, options)
  }

  /**
   * Recover deliveries.
   *
   * Sends failed deliveries of events since `since` again, and events that the webhook missed while it was disabled: of
   * types that it subscribes to, and test events. It runs in the background: get the recovery to follow it. It ends early
   * if the webhook is disabled. A webhook can have one recovery at a time: while one is running, `details.recovery_id` of
   * the error is its ID.
   *
   * Requires the scope `webhooks:write`.
   */
  recover(id: string, body: NewRecovery, options?: RequestOptions): ApiPromise<Recovery> {
    return this.#client.send('POST', path`/webhooks/${id}/recover`, body, options)
  }

  /**
   * Get a recovery.
   *
   * Recoveries are kept as long as events.
   *
   * Requires the scope `webhooks:read`.
   */
  getRecovery(id: string, recoveryId: string, options?: RequestOptions): ApiPromise<Recovery> {
    return this.#client.get(path`/webhooks/${id}/recoveries/${recoveryId}`, undefined, options)
  }

  /**
   * List an inbox's requests.
   *
   * Returns the last 50 requests, newest first, each with the steps of its signature check. The list is empty for
   * webhooks that are not inboxes. A key sees only the requests of events that it may read, as in the list of events.
   *
   * Requires the scope `webhooks:read`.
   */
  listInbox(id: string, query: WebhooksListInboxQuery = {}, options?: RequestOptions): ApiList<InboxRequest> {
    return this.#client.list(path`/webhooks/${id}/inbox`, query, options)
  }

  /**
   * Check that the service has sent this request to your server, and get its event. `body` must be what was received, before
   * it is parsed. Rejects with a SignatureError if no signature matches, or if it was sent more than five minutes ago.
   */
  verify(body: string | Uint8Array | ArrayBuffer, headers: WebhookHeaders, secret: string): Promise<WebhookEvent> {
    return verifyWebhook(body, headers, secret)
  }
}

export class TestClockApi {
  readonly #client: Client

  constructor(client: Client) {
    this.#client = client
  }

  /**
   * Get the test clock.
   *
   * Returns the time of a test workspace. In a live workspace: 409.
   *
   * Requires the scope `test_clock:read`.
   */
  get(options?: RequestOptions): ApiPromise<TestClock> {
    return this.#client.get('/test_clock', undefined, options)
  }

  /**
   * Advance the test clock.
   *
   * Moves the time of a test workspace forward in the background, from one due time to the next, and runs what is due at
   * each. Poll the clock until its `status` is `ready`. An advance that makes no progress for a minute ends, with an
   * `error`. Send either `to` or `by_seconds`. While the clock is advancing, and in a live workspace: 409.
   *
   * Requires the scope `test_clock:write`.
   */
  advance(body?: Advance, options?: RequestOptions): ApiPromise<TestClock> {
    return this.#client.send('POST', '/test_clock/advance', body, options)
  }
}

export class WorkspaceApi {
  readonly #client: Client

  constructor(client: Client) {
    this.#client = client
  }

  /**
   * Get the workspace.
   *
   * Returns the workspace of the API key, with all settings.
   *
   * Requires the scope `workspace:read`.
   */
  get(options?: RequestOptions): ApiPromise<Workspace> {
    return this.#client.get('/workspace', undefined, options)
  }

  /**
   * Update the workspace.
   *
   * Fields and settings that are not sent keep their values.
   *
   * Requires the scope `workspace:write`.
   */
  update(body: WorkspaceChange, options?: RequestOptions): ApiPromise<Workspace> {
    return this.#client.send('PATCH', '/workspace', body, options)
  }
}

export class AuditLogApi {
  readonly #client: Client

  constructor(client: Client) {
    this.#client = client
  }

  /**
   * List the audit log.
   *
   * Newest first. Who has signed in, changed settings, keys, members, agents or integrations, started or stopped
   * campaigns, deleted, redacted, exported, imported or listened. Entries are kept for 365 days. A key needs the scope
   * `audit:read`, granted by name; in the dashboard owners see it.
   *
   * Requires the scope `audit:read`.
   */
  list(query: AuditLogListQuery = {}, options?: RequestOptions): ApiList<AuditEntry> {
    return this.#client.list('/audit_log', query, options)
  }
}

export class ApiKeysApi {
  readonly #client: Client

  constructor(client: Client) {
    this.#client = client
  }

  /**
   * List API keys.
   *
   * Newest first, including revoked and expired keys. The secret itself is not included.
   *
   * Requires the scope `api_keys:read`.
   */
  list(query: ApiKeysListQuery = {}, options?: RequestOptions): ApiList<ApiKey> {
    return this.#client.list('/api_keys', query, options)
  }

  /**
   * Create an API key.
   *
   * Only this response contains the `key`. A key can't grant scopes that it doesn't have: 403.
   *
   * Requires the scope `api_keys:write`.
   */
  create(body: NewApiKey, options?: RequestOptions): ApiPromise<ApiKeyWithSecret> {
    return this.#client.send('POST', '/api_keys', body, options)
  }

  /**
   * Get an API key.
   *
   * Requires the scope `api_keys:read`.
   */
  get(id: string, options?: RequestOptions): ApiPromise<ApiKey> {
    return this.#client.get(path`/api_keys/${id}`, undefined, options)
  }

  /**
   * Revoke an API key.
   *
   * The key stops working within a second and stays in the list. Revoking it again changes nothing.
   *
   * Requires the scope `api_keys:write`.
   */
  revoke(id: string, options?: RequestOptions): ApiPromise<Deleted> {
    return this.#client.send('DELETE', path`/api_keys/${id}`, undefined, options)
  }

  /**
   * Rotate an API key.
   *
   * Creates a new key with the same name, scopes and lifetime. Only this response contains it. The old key still works
   * for `overlap_seconds`, but not beyond its own expiry. A key that is revoked, expired or already rotated returns 409.
   *
   * Requires the scope `api_keys:write`.
   */
  rotate(id: string, body?: Rotation, options?: RequestOptions): ApiPromise<ApiKeyWithSecret> {
    return this.#client.send('POST', path`/api_keys/${id}/rotate`, body, options)
  }
}
