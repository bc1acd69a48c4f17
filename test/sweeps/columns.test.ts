import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { operations, owner_operations } from '../../server/api.ts'
import { table as calls } from '../../server/calls/rows.ts'
import { table as enrollments } from '../../server/campaigns/enrollment-rows.ts'
import { table as campaigns } from '../../server/campaigns/rows.ts'
import { table as contacts } from '../../server/contacts/rows.ts'
import { table as conversations } from '../../server/conversations/rows.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import { table as messages } from '../../server/messages/rows.ts'
import { table_classes } from '../../server/table-classes.ts'
import { directories } from '../support/directories.ts'
import { testPool } from '../support/harness.ts'

interface Property {
  type?: string | string[]
  format?: string
}

const agent_columns = [
  'deployed_version_id',
  'candidate_version_id',
  'candidate_percent',
  'version_count',
  'earlier_version_ids',
]
/** They depend on the providers too. */
const answering = ['can_answer', 'cannot_answer_reason']
const test_content = [
  'begins',
  'turns',
  'says',
  'steps',
  'person',
  'persona',
  'medium',
  'turns_max',
  'variables',
  'contact',
  'now',
  'uses_tools',
  'tool_answers',
  'expect',
]
const result_lists = ['conversation_ids', 'differences', 'failures']
const test_run = {
  computed: ['agent_version', 'usage'],
  not_shown: [
    'agent_name',
    'version_id',
    'version_label',
    'draft',
    'content_hash',
    'input_tokens',
    'output_tokens',
    'has_conversations',
    'due_at',
    'lease_until',
    'lease_token',
    'attempt',
  ],
}
const version_columns = { not_shown: ['agent_id', 'configuration', 'content_hash', 'created_by'] }
const from_environment = ['id', 'base_url', 'created_at', 'updated_at']
const tool_secrets = ['url', 'headers', 'header_names', 'secret', 'previous_secret']
const channel_urls = ['public_url', 'inbound_url', 'capabilities']
const channel_settings = [
  'origins',
  'account_sid',
  'auth_token',
  'api_url',
  'is_api_url_trusted',
  'error',
  'messages_per_minute_max',
  'messages_per_day_max',
  'tokens_per_day_max',
]

/** The table of each resource, the fields that are not columns of it, and the columns that are not returned. */
const stored: Record<string, { table: string; computed?: string[]; not_shown: string[] }> = {
  Contact: { table: 'contacts', not_shown: ['crm_ids'] },
  ContactCreated: {
    table: 'contacts',
    not_shown: ['crm_ids', 'first_contact_at', 'last_contact_at'],
  },
  ContactWithCrmIds: { table: 'contacts', not_shown: [] },
  AuditEntry: {
    table: 'audit_log',
    computed: ['actor', 'subject'],
    not_shown: ['actor_type', 'actor_id', 'subject_type', 'subject_id'],
  },
  Agent: {
    table: 'agents',
    computed: ['instructions', 'deployed_version', 'candidate', ...answering],
    not_shown: [...agent_columns, 'draft'],
  },
  AgentWithDraft: {
    table: 'agents',
    computed: ['instructions', 'deployed_version', 'candidate', 'draft', ...answering],
    not_shown: [...agent_columns, 'draft'],
  },
  Document: {
    table: 'documents',
    not_shown: [
      'content_type',
      'file_id',
      'edition_id',
      'must_parse',
      'must_fetch',
      'due_at',
      'lease_until',
      'lease_token',
      'attempt',
    ],
  },
  UnansweredQuestion: { table: 'document_questions', not_shown: [] },
  Import: {
    table: 'imports',
    not_shown: ['file_id', 'undone_from', 'due_at', 'lease_until', 'lease_token', 'attempt'],
  },
  ImportRow: {
    table: 'import_rows',
    computed: ['id', 'values'],
    not_shown: ['import_id', 'written_at', 'before'],
  },
  Webhook: { table: 'webhooks', not_shown: ['secret', 'previous_secret', 'failed_attempts'] },
  WebhookWithSecret: {
    table: 'webhooks',
    computed: ['secret'],
    not_shown: ['secret', 'previous_secret', 'failed_attempts'],
  },
  Delivery: { table: 'webhook_deliveries', computed: ['last_attempt'], not_shown: ['attempts'] },
  DeliveryWithAttempts: {
    table: 'webhook_deliveries',
    computed: ['attempts', 'body'],
    not_shown: ['attempts'],
  },
  Recovery: {
    table: 'webhook_recoveries',
    computed: ['status'],
    not_shown: ['webhook_id', 'last_event_id', 'due_at', 'lease_until', 'lease_token', 'attempt'],
  },
  InboxRequest: { table: 'inbox_requests', computed: ['steps'], not_shown: ['webhook_id', 'event_id', 'steps'] },
  Integration: {
    table: 'integrations',
    computed: ['url', 'is_signed', 'last_received_at'],
    not_shown: ['token', 'signing_secret'],
  },
  Receipt: { table: 'integration_receipts', computed: ['payload'], not_shown: ['integration_id', 'payload'] },
  Consent: {
    table: 'consents',
    computed: ['evidence'],
    not_shown: ['seq', 'phone_hmac', 'evidence', 'hash'],
  },
  Suppression: { table: 'suppressions', computed: ['is_erased'], not_shown: ['phone_hmac'] },
  Erasure: {
    table: 'erasures',
    computed: ['counts'],
    not_shown: [
      'step',
      'position',
      'phone_numbers',
      'phone_hmacs',
      'conversations',
      'calls',
      'messages',
      'events',
      'files',
      'due_at',
      'lease_until',
      'lease_token',
      'attempt',
    ],
  },
  AgentTest: { table: 'agent_tests', computed: test_content, not_shown: ['content', 'content_hash'] },
  TestRun: { table: 'test_runs', ...test_run },
  TestRunWithResults: { table: 'test_runs', ...test_run, computed: [...test_run.computed, 'results'] },
  TestRunResult: {
    table: 'test_run_results',
    computed: ['usage', 'has_test_changed', ...result_lists],
    not_shown: [
      'run_id',
      'position',
      'content',
      'content_hash',
      'source_contact_id',
      'input_tokens',
      'output_tokens',
      ...result_lists,
    ],
  },
  AgentVersion: { table: 'agent_versions', ...version_columns, computed: ['created_by'] },
  AgentVersionWithConfiguration: {
    table: 'agent_versions',
    ...version_columns,
    computed: ['created_by', 'configuration', 'mcp_tools'],
  },
  Deployment: {
    table: 'agent_deployments',
    computed: ['version', 'created_by'],
    not_shown: ['agent_id', 'version_id', 'created_by'],
  },
  Conversation: {
    table: 'conversations',
    computed: ['agent_version', 'is_answering', 'usage'],
    not_shown: [
      'version_id',
      'version_label',
      'draft',
      'summarized_until',
      'needs_summary',
      'input_tokens',
      'output_tokens',
      'awaits_answer',
      'last_answer_seq',
      'first_asked_at',
      'timers',
      'script_state',
      'opt_out_asked_at',
      'opt_out_asked_seq',
      'phone_hmac',
      'due_at',
      'lease_until',
      'lease_token',
      'attempt',
    ],
  },
  Turn: {
    table: 'conversation_turns',
    computed: ['tools', 'script', 'citations', 'latency', 'usage', 'message', 'author'],
    not_shown: [
      'conversation_id',
      'is_open',
      'script',
      'citations',
      'latency',
      'usage',
      'message_id',
      'author_id',
      'speech',
    ],
  },
  Call: {
    table: 'calls',
    computed: [
      'from',
      'to',
      'agent_version',
      'summary',
      'recording',
      'latency',
      'usage',
      // A bigint, which is an integer in JSON.
      'cost_micros',
    ],
    not_shown: [
      'from_number',
      'to_number',
      'version_id',
      'version_label',
      'cost_micros',
      'input_tokens',
      'output_tokens',
      'recording_status',
      'recording_format',
      'recording_deleted_at',
      'recording_deleted_by',
      'turn_p50_ms',
      'turn_p95_ms',
      'dial_key',
      'is_dialing',
      'dial_before',
      'keeps_quiet_hours',
      'leaves_voicemail',
      'variables',
      'simulate',
      'contact_voice',
      'facts',
      'state',
      'request',
      'search_text',
      'phone_hmac',
      'due_at',
      'lease_until',
      'lease_token',
      'claims',
      'last_save',
      'line',
      'carrier_id',
      'draft',
      'socket_token',
      'socket_token_before',
      'socket_origin',
      'visitor_network',
      'speech_ms',
    ],
  },
  Campaign: {
    table: 'campaigns',
    computed: ['agent_version', 'channel_ids', 'windows', 'holidays', 'retry', 'counts'],
    not_shown: [
      'version_id',
      'version_label',
      'channel_ids',
      'windows',
      'holidays',
      'retry',
      'running_since',
      'decided_at',
      'breaker_since',
      'is_probing',
      'held_until',
      'must_review',
      'progress_at',
      'not_enrolled',
      'due_at',
      'lease_until',
      'lease_token',
      'attempt',
    ],
  },
  Enrollment: {
    table: 'enrollments',
    not_shown: ['earlier_attempts', 'outcomes', 'retry_at', 'callback_at', 'rank', 'due_at'],
  },
  CallEvent: { table: 'call_events', not_shown: ['call_id', 'dedupe_key'] },
  // Those from the environment are in no table.
  Provider: {
    table: 'providers',
    computed: [...from_environment, 'has_api_key', 'source'],
    not_shown: [...from_environment, 'api_key'],
  },
  Tool: { table: 'tools', computed: ['url', 'headers'], not_shown: tool_secrets },
  ToolWithSecret: { table: 'tools', computed: ['url', 'headers', 'secret'], not_shown: tool_secrets },
  Channel: {
    table: 'channels',
    computed: channel_urls,
    not_shown: channel_settings,
  },
  ChannelWithSettings: {
    table: 'channels',
    // A bigint, which is an integer in JSON.
    computed: [...channel_urls, 'has_auth_token', 'tokens_per_day_max'],
    not_shown: ['auth_token', 'is_api_url_trusted', 'tokens_per_day_max'],
  },
  TestClock: {
    table: 'test_clocks',
    computed: ['status'],
    not_shown: ['id', 'progress_at', 'due_at', 'lease_until', 'lease_token', 'attempt'],
  },
  // `updated_at` is null until the first change.
  Workspace: { table: 'workspaces', computed: ['updated_at'], not_shown: ['updated_at'] },
  WorkspaceEvent: {
    table: 'events',
    computed: ['data', 'previous', 'actor', 'subject'],
    not_shown: ['data', 'previous', 'position', 'actor_type', 'actor_id'],
  },
  ApiKey: { table: 'api_keys', not_shown: [] },
  ApiKeyWithSecret: { table: 'api_keys', computed: ['key'], not_shown: [] },
}
/** Responses that are not stored resources. */
const not_stored = [
  'WebCall',
  'ContactBatchResults',
  'Deleted',
  'DeliveryCounts',
  'DryRun',
  'Overview',
  'CallAnalytics',
  'ConversationAnalytics',
  'CampaignAnalytics',
  'AgentDifference',
  'McpTools',
  'TestResult',
  'DocumentSearch',
  'ChannelTestResult',
  'Verification',
  'Transcript',
  'CampaignProgress',
  'Enrolled',
  'Forecast',
  'TestGate',
  'Explanation',
]

const pool = testPool()
after(() => pool.close())

const resources = new Map(
  [...operations, ...owner_operations]
    .flatMap((operation) => {
      if (operation.kind === 'list') return operation.items
      return 'response' in operation ? operation.response : []
    })
    .map((schema) => {
      const { title = '', properties } = schema as { title?: string; properties?: Record<string, Property> }
      return [title, properties ?? {}]
    }),
)

function typeOf({ type, format }: Property): string {
  const types = [type].flat()
  if (types.includes('object')) return 'jsonb'
  if (types.includes('boolean')) return 'bool'
  if (types.includes('integer')) return types.includes('null') ? 'int4 or null' : 'int4'
  const base = types.includes('array')
    ? 'text[]'
    : ({ uuid: 'uuid', 'date-time': 'timestamptz' }[format ?? ''] ?? 'text')
  return types.includes('null') ? `${base} or null` : base
}

for (const [title, properties] of resources) {
  if (not_stored.includes(title)) continue
  test(`${title} matches the columns of its table`, async () => {
    const where = stored[title]
    assert.ok(where, `${title} is not in this test's list`)
    const { table, computed = [], not_shown } = where
    const columns = await pool.many<{ name: string; type: string }>(
      sql`select column_name as name,
          case when udt_name = '_text' then 'text[]' else udt_name end
          || case is_nullable when 'YES' then ' or null' else '' end as type
        from information_schema.columns where table_name = ${table}`,
    )
    const shown = columns.filter(({ name }) => !['workspace_id', ...not_shown].includes(name))
    const declared = Object.entries(properties)
      .filter(([name]) => !computed.includes(name))
      .map(([name, property]) => [name, typeOf(property)])
    assert.deepEqual(Object.fromEntries(declared), Object.fromEntries(shown.map(({ name, type }) => [name, type])))
  })
}

for (const { name, columns } of [calls, campaigns, contacts, conversations, enrollments, messages]) {
  test(`the description of ${name} has all columns of the table`, async () => {
    const found = await pool.many<{ name: string; type: string }>(
      sql`select attname as name, split_part(format_type(atttypid, null), ' ', 1) as type from pg_attribute
        where attrelid = ${name}::regclass and attnum > 0 and not attisdropped and attname <> 'workspace_id'`,
    )
    const described = Object.entries(columns).map(([name, type]) => [name, type.replace('timestamptz', 'timestamp')])
    assert.deepEqual(Object.fromEntries(described), Object.fromEntries(found.map(({ name, type }) => [name, type])))
  })
}

test('every key and index of a tenant table begins with workspace_id', async () => {
  const indexes = await pool.many<{ name: string; first: string }>(
    sql`select index_class.relname as name, pg_get_indexdef(indexrelid, 1, true) as first
      from pg_index
      join pg_class as index_class on index_class.oid = indexrelid
      join information_schema.columns on table_name = (indrelid::regclass)::text and column_name = 'workspace_id'
      where table_schema = 'public' and table_name <> all(${directories}::text[])`,
  )
  assert.ok(indexes.length > 10)
  assert.deepEqual(
    indexes.filter(({ first }) => first !== 'workspace_id'),
    [],
  )
})

test('every table has one class', async () => {
  const names = (
    await pool.many<{ name: string }>(
      sql`select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')`,
    )
  ).map(({ name }) => name)
  const { reference, local } = table_classes
  const listed = [...reference, ...local]
  assert.deepEqual(
    listed.filter((name) => !names.includes(name)),
    [],
    'classes of tables that do not exist',
  )
  assert.equal(new Set(listed).size, listed.length, 'a table is listed twice')
  assert.ok(names.length > listed.length)
})

test('every table that is not listed as reference or local can be sharded', async () => {
  const others = await pool.many(
    sql`select pg_class.relname as table, index_class.relname as index
      from pg_class
      left join pg_attribute on attrelid = pg_class.oid and attname = ${table_classes.shard_column}
      left join pg_index on indrelid = pg_class.oid and indisunique and indkey[0] is distinct from attnum
      left join pg_class as index_class on index_class.oid = indexrelid
      where pg_class.relnamespace = 'public'::regnamespace and pg_class.relkind in ('r', 'p')
        and pg_class.relname <> all(${[...table_classes.reference, ...table_classes.local]}::text[])
        and (attnum is null or not attnotnull or indexrelid is not null
          or not exists (select from pg_index as key where key.indrelid = pg_class.oid and key.indisprimary))`,
  )
  assert.deepEqual(others, [])
})

test('texts are compared byte by byte', async () => {
  const others = await pool.many(
    sql`select table_name, column_name from information_schema.columns
      join information_schema.tables using (table_schema, table_name)
      where table_schema = 'public' and table_type = 'BASE TABLE' and udt_name in ('text', '_text')
        and collation_name is distinct from 'C'`,
  )
  assert.deepEqual(others, [])
})
