import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig } from '../../server/config.ts'
import { command } from '../support/process.ts'

const wrong: [string, string][] = [
  ['PORT', '80a'],
  ['PORT', '65536'],
  ['PORT', '-1'],
  ['HOST', 'a b'],
  ['PUBLIC_URL', 'example.com'],
  ['PUBLIC_URL', 'ftp://example.com'],
  ['PUBLIC_URL', 'https://example.com/?a=b'],
  ['DATABASE_URL', 'mysql://localhost/x'],
  ['DATABASE_URL', 'localhost'],
  ['BOOTSTRAP_API_KEY', `pk_${'a'.repeat(31)}`],
  ['BOOTSTRAP_API_KEY', `pk_${'a'.repeat(129)}`],
  ['BOOTSTRAP_API_KEY', `pk_${'a'.repeat(31)}_`],
  ['BOOTSTRAP_API_KEY', 'a'.repeat(40)],
  ['TRUST_PROXY', 'proxy'],
  ['CORS_ORIGINS', 'app.example.com'],
  ['CORS_ORIGINS', 'https://app.example.com/'],
  ['CORS_ORIGINS', 'https://App.example.com'],
  ['CORS_ORIGINS', 'https://app.example.com:443'],
  ['CORS_ORIGINS', 'https://app.example.com,*'],
  ['CORS_ORIGINS', 'https://*.example.com'],
  ['CORS_ORIGINS', 'ftp://app.example.com'],
  ['CORS_ORIGINS', 'null'],
  ['TRUST_PROXY', '10.0.0.0/33'],
  ['TRUST_PROXY', '10.0.0.1,'],
  ['TRUST_PROXY', '010.0.0.1'],
  ['TRUST_PROXY', '127.1'],
  ['TRUST_PROXY', '10.0.0.0/8/8'],
  ['TRUST_PROXY', '10.0.0.0/'],
  ['TRUST_PROXY', '::1/129'],
  ['OUTBOUND_ALLOW_HOSTS', 'a b'],
  ['OUTBOUND_ALLOW_HOSTS', '10.0.0.0/33'],
  ['OUTBOUND_ALLOW_HOSTS', 'https://intern.example'],
  ['OUTBOUND_ALLOW_HOSTS', 'a,'],
  ['OPENAI_API_KEY', 'two words'],
  ['OPENAI_BASE_URL', 'localhost:11434'],
  ['OPENAI_MODEL', 'two words'],
  ['OPENAI_MODELS', 'one,,two'],
  ['ANTHROPIC_API_KEY', 'sk-ä'],
  ['BLOB_URL', 'https://key:secret@s3.example/bucket'],
  ['BLOB_URL', 's3://s3.example/bucket'],
  ['BLOB_URL', 's3://key@s3.example/bucket'],
  ['BLOB_URL', 's3://key:secret@s3.example'],
  ['BLOB_URL', 's3://key:secret@s3.example/bucket/a b'],
  ['BLOB_URL', 's3://key:secret@s3.example/bucket?tls=no'],
  ['BLOB_URL', 's3://key:secret@s3.example/bucket?regoin=eu'],
  ['BLOB_URL', 's3://key:se%cret@s3.example/bucket'],
  ['SECRETS_KEY', 'a'.repeat(31)],
  ['SECRETS_KEY_PREVIOUS', 'a'.repeat(31)],
  ['RATE_LIMIT_PER_SECOND', '-1'],
  ['RATE_LIMIT_PER_SECOND', '1.5'],
  ['EVENTS_KEEP_DAYS', '6'],
  ['EVENTS_KEEP_DAYS', '36501'],
  ['EVENTS_KEEP_DAYS', 'ever'],
  ['LOG_LEVEL', 'loud'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'localhost:4318'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://collector.example/?key=a'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'x-key'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'a b=c'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'x-key=%0a'],
  ['OTEL_RESOURCE_ATTRIBUTES', 'a=%zz'],
  ['OTEL_RESOURCE_ATTRIBUTES', 'a=b,,c=d'],
  ['OTEL_TRACES_SAMPLER_ARG', '1.1'],
  ['OTEL_TRACES_SAMPLER_ARG', '-0.5'],
  ['OTEL_TRACES_SAMPLER_ARG', '10%'],
]
for (const [name, value] of wrong) {
  test(`${name}=${value.slice(0, 40)} is refused with the variable's name`, () => {
    assert.throws(() => readConfig({ [name]: value }), new RegExp(`^\\S*Error: ${name} must be [^\n]+$`))
  })
}

const right: [string, string, string, unknown][] = [
  ['PORT', '0', 'port', 0],
  ['PORT', '65535', 'port', 65_535],
  ['PUBLIC_URL', 'https://example.com/parley/', 'public_url', 'https://example.com/parley'],
  ['BOOTSTRAP_API_KEY', `pk_${'a'.repeat(32)}`, 'bootstrap_api_key', `pk_${'a'.repeat(32)}`],
  ['BOOTSTRAP_API_KEY', `pk_${'a'.repeat(128)}`, 'bootstrap_api_key', `pk_${'a'.repeat(128)}`],
  ['OUTBOUND_ALLOW_HOSTS', 'a-1.example, 10.0.0.0/8,::1', 'outbound_allow_hosts', ['a-1.example', '10.0.0.0/8', '::1']],
  ['TRUST_PROXY', '10.0.0.0/8, ::1', 'trust_proxy', ['10.0.0.0/8', '::1']],
  ['TRUST_PROXY', '::ffff:1.2.3.4/120', 'trust_proxy', ['::ffff:1.2.3.4/120']],
  ['TRUST_PROXY', 'fe80::1%eth0', 'trust_proxy', ['fe80::1%eth0']],
  ['OUTBOUND_ALLOW_HOSTS', '127.1', 'outbound_allow_hosts', ['127.1']],
  ['OPENAI_BASE_URL', 'http://127.0.0.1:11434/v1/', 'openai_base_url', 'http://127.0.0.1:11434/v1'],
  ['OPENAI_MODELS', 'one, two', 'openai_models', ['one', 'two']],
  [
    'BLOB_URL',
    's3://key:se%2Fcret@s3.example/bucket/prefix/',
    'bucket',
    { url: 'https://s3.example/bucket/prefix', region: 'us-east-1', key_id: 'key', secret: 'se/cret' },
  ],
  [
    'BLOB_URL',
    's3://key:secret@127.0.0.1:9000/bucket?region=eu-central-1&tls=off',
    'bucket',
    { url: 'http://127.0.0.1:9000/bucket', region: 'eu-central-1', key_id: 'key', secret: 'secret' },
  ],
  ['SECRETS_KEY', 'a'.repeat(32), 'secrets_key', 'a'.repeat(32)],
  ['SECRETS_KEY_PREVIOUS', 'a'.repeat(32), 'secrets_key_previous', 'a'.repeat(32)],
  ['RATE_LIMIT_PER_SECOND', '0', 'rate_limit_per_second', 0],
  ['EVENTS_KEEP_DAYS', '7', 'events_keep_days', 7],
  ['EVENTS_KEEP_DAYS', '36500', 'events_keep_days', 36_500],
  ['LOG_LEVEL', 'silent', 'log_level', 'silent'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://10.0.0.1:4318/', 'otlp_endpoint', 'http://10.0.0.1:4318'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'X-Key=a%20b,y=', 'otlp_headers', { 'x-key': 'a b', y: '' }],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'authorization=Basic YTpi==', 'otlp_headers', { authorization: 'Basic YTpi==' }],
  ['OTEL_RESOURCE_ATTRIBUTES', 'a.b=c%2Cd, e=f', 'otel_resource_attributes', { 'a.b': 'c,d', e: 'f' }],
  ['OTEL_TRACES_SAMPLER_ARG', '0', 'otel_sample_ratio', 0],
  ['OTEL_TRACES_SAMPLER_ARG', '0.25', 'otel_sample_ratio', 0.25],
  ['OTEL_TRACES_SAMPLER_ARG', '1', 'otel_sample_ratio', 1],
  ['HOST', '', 'host', '127.0.0.1'],
]
for (const [name, value, field, expected] of right) {
  test(`${name}=${value.slice(0, 40)} is accepted`, () => {
    assert.deepEqual(Object.entries(readConfig({ [name]: value })).find(([one]) => one === field)?.[1], expected)
  })
}

test('a wrong secret is not printed', () => {
  const wrong_secrets = [
    { SECRETS_KEY: 'open sesame' },
    { BLOB_URL: 's3://key:sesame@s3.example' },
    { OTEL_EXPORTER_OTLP_HEADERS: 'sesame' },
  ]
  for (const environment of wrong_secrets) {
    assert.throws(
      () => readConfig(environment),
      (error: Error) => !error.message.includes('sesame'),
    )
  }
})

test('a wrong value ends the start with one line that names the variable', async () => {
  const { code, stdout, stderr } = await command(['serve'], { PORT: 'eighty' }).ended
  assert.equal(code, 1)
  assert.equal(stdout, '')
  assert.match(stderr, /^parley: PORT must be [^\n]+\n$/)
})

test('SECRETS_KEY is required with DATABASE_URL', async () => {
  const { code, stderr } = await command(['serve'], { DATABASE_URL: process.env.TEST_DATABASE_URL ?? '' }).ended
  assert.equal(code, 1)
  assert.match(stderr, /^parley: SECRETS_KEY [^\n]+\n$/)
})

test('a DATABASE_URL that does not answer ends the start with one line', async () => {
  const environment = { DATABASE_URL: 'postgres://a:b@127.0.0.1:1/c', SECRETS_KEY: 'a'.repeat(32) }
  const { code, stderr } = await command(['serve'], environment).ended
  assert.equal(code, 1)
  assert.match(stderr, /^parley: DATABASE_URL can't be used: [^\n]+\n$/)
})
