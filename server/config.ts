import path from 'node:path'
import { isToken } from './api-keys/token.ts'
import { type Bucket, parseBucketUrl } from './kit/blobs/bucket-url.ts'
import { type Level, levels } from './kit/log.ts'
import { parseNetwork } from './kit/network.ts'
import { baseFolder } from './kit/postgres/embedded/embedded.ts'
import { product } from './product.ts'

/** All settings. README.md lists the environment variables they come from. */
export interface Config {
  host: string
  port: number
  /** When it is undefined, `addressOf` derives it from host and port. */
  public_url: string | undefined
  checkout: string
  data_dir: string
  /** The folder where offline speech is installed. */
  speech_dir: string
  database_url: string | undefined
  database_pool_size: number
  /** The bucket where recordings are kept instead of DATA_DIR. */
  bucket: Bucket | undefined
  bootstrap_api_key: string | undefined
  trust_proxy: string[]
  /** Pages of these origins may send requests to the API. `*` stands for all origins. */
  cors_origins: string[]
  secrets_key: string | undefined
  /** Opens what was sealed with another key, while SECRETS_KEY is rotated. */
  secrets_key_previous: string | undefined
  rate_limit_per_second: number
  outbound_allow_hosts: string[]
  openai_api_key: string | undefined
  /** Unlike the URLs that clients supply, this one may lead to a private address. */
  openai_base_url: string | undefined
  openai_model: string | undefined
  /** Models that agents may use besides `openai_model`. */
  openai_models: string[]
  anthropic_api_key: string | undefined
  anthropic_model: string | undefined
  events_keep_days: number
  /** How many calls with sound this process drives. Undefined: it depends on where speech is recognised. */
  live_calls_max: number | undefined
  live_calls_workspace_max: number | undefined
  /** How long a stop waits for live calls with sound. */
  drain_seconds: number
  /** Requests with this token may read metrics at the port of the API. Undefined: no request may. */
  metrics_token: string | undefined
  /** The port of a second server, which has only the pages for operators and asks for no token. */
  metrics_port: number | undefined
  /**
   * The URL of a collector of traces. Undefined: there are no traces. Unlike the URLs that clients supply, it may be
   * private.
   */
  otlp_endpoint: string | undefined
  /** Headers that are sent to the collector of traces, such as a key. */
  otlp_headers: Record<string, string>
  otel_service_name: string | undefined
  otel_resource_attributes: Record<string, string>
  /** The share of new traces that are sent, from 0 to 1. */
  otel_sample_ratio: number
  log_level: Level
  /** How often the launcher has restarted the server after a crash. */
  restarts: number
  /** The number of this process among those of `serve --processes`, from 1. */
  process: number
}

/** A setting is wrong. The message is one line that names the variable. */
export class ConfigError extends Error {}

type Environment = Record<string, string | undefined>

const secrets_key_length_min = 32
const secrets_key_format = `at least ${secrets_key_length_min} characters long; openssl rand -base64 32 creates one`
const hosts_format = 'host names, IP addresses or networks such as 10.0.0.0/8, separated by commas'
const port_format = 'a port number from 0 to 65535'
const metrics_token_length_min = 16
const header_format = 'printable ASCII characters without spaces'
const pairs_format = 'percent-encoded pairs such as name=value, separated by commas'
const model_format = 'the name of a model, up to 200 characters without spaces'
/** With fewer connections, background work and requests could block each other. */
const pool_size_min = 4
const pool_size_max = 1_000
/** Webhook deliveries are retried for days, and each attempt reads the event. */
const keep_days_min = 7
const keep_days_max = 36_500

const live_calls_max = 10_000
const drain_seconds_max = 86_400

const checkout = path.resolve(import.meta.dirname, '..')

export function readConfig(environment: Environment = process.env): Config {
  const read = <T>(name: string, fallback: T, parse: (text: string) => T | undefined, expected: string): T => {
    const text = environment[name]?.trim()
    if (text === undefined || text === '') return fallback
    const value = parse(text)
    if (value === undefined) throw new ConfigError(`${name} must be ${expected}, but is ${quoteValue(name, text)}`)
    return value
  }
  const database_url = read(
    'DATABASE_URL',
    undefined,
    databaseUrl,
    'a URL such as postgres://user:password@host/database',
  )
  const given_data_dir = read('DATA_DIR', undefined, (text) => path.resolve(text), 'a folder')
  return Object.freeze({
    host: read('HOST', '127.0.0.1', (text) => (/\s/.test(text) ? undefined : text), 'a host name or an IP address'),
    port: read('PORT', 8080, portNumber, port_format),
    public_url: read('PUBLIC_URL', undefined, baseAddress, 'a URL such as https://parley.example.com'),
    checkout,
    data_dir:
      given_data_dir ??
      // Only the embedded PostgreSQL needs a folder that its user can enter.
      path.join(database_url ? checkout : baseFolder(checkout, product.short_name), 'data'),
    speech_dir: read(
      'SPEECH_DIR',
      path.join(given_data_dir ?? path.join(checkout, '.cache'), 'speech'),
      (text) => path.resolve(text),
      'a folder',
    ),
    database_url,
    database_pool_size: read(
      'DATABASE_POOL_SIZE',
      10,
      (text) => wholeNumber(text, pool_size_max, pool_size_min),
      `a number of connections, ${pool_size_min} to ${pool_size_max}`,
    ),
    bucket: read(
      'BLOB_URL',
      undefined,
      parseBucketUrl,
      'a URL such as s3://KEY_ID:SECRET@host/bucket?region=us-east-1',
    ),
    bootstrap_api_key: read(
      'BOOTSTRAP_API_KEY',
      undefined,
      (text) => (isToken(text) ? text : undefined),
      'pk_ followed by 32 to 128 letters and digits',
    ),
    trust_proxy: read('TRUST_PROXY', [], networks, 'IP addresses or networks such as 10.0.0.0/8, separated by commas'),
    cors_origins: read(
      'CORS_ORIGINS',
      [],
      origins,
      'origins such as https://app.example.com separated by commas, or * alone',
    ),
    secrets_key: read('SECRETS_KEY', undefined, secretsKey, secrets_key_format),
    secrets_key_previous: read('SECRETS_KEY_PREVIOUS', undefined, secretsKey, secrets_key_format),
    rate_limit_per_second: read(
      'RATE_LIMIT_PER_SECOND',
      1000,
      (text) => wholeNumber(text, 1_000_000_000),
      'a whole number; 0 disables the limit',
    ),
    outbound_allow_hosts: read('OUTBOUND_ALLOW_HOSTS', [], hosts, hosts_format),
    openai_api_key: read('OPENAI_API_KEY', undefined, headerText, header_format),
    openai_base_url: read('OPENAI_BASE_URL', undefined, baseAddress, 'a URL such as https://models.example.com/v1'),
    openai_model: read('OPENAI_MODEL', undefined, modelName, model_format),
    openai_models: read('OPENAI_MODELS', [], modelNames, 'names of models, separated by commas'),
    anthropic_api_key: read('ANTHROPIC_API_KEY', undefined, headerText, header_format),
    anthropic_model: read('ANTHROPIC_MODEL', undefined, modelName, model_format),
    events_keep_days: read(
      'EVENTS_KEEP_DAYS',
      30,
      (text) => wholeNumber(text, keep_days_max, keep_days_min),
      `a number of days from ${keep_days_min} to ${keep_days_max}`,
    ),
    live_calls_max: read(
      'LIVE_CALLS_MAX',
      undefined,
      (text) => wholeNumber(text, live_calls_max),
      `a number of calls from 0 to ${live_calls_max}`,
    ),
    live_calls_workspace_max: read(
      'LIVE_CALLS_WORKSPACE_MAX',
      undefined,
      (text) => wholeNumber(text, live_calls_max, 1),
      `a number of calls from 1 to ${live_calls_max}`,
    ),
    drain_seconds: read(
      'DRAIN_SECONDS',
      600,
      (text) => wholeNumber(text, drain_seconds_max),
      `a number of seconds from 0 to ${drain_seconds_max}`,
    ),
    metrics_token: read(
      'METRICS_TOKEN',
      undefined,
      (text) => (text.length >= metrics_token_length_min ? headerText(text) : undefined),
      `at least ${metrics_token_length_min} ${header_format}`,
    ),
    metrics_port: read('METRICS_PORT', undefined, portNumber, port_format),
    otlp_endpoint: read(
      'OTEL_EXPORTER_OTLP_ENDPOINT',
      undefined,
      baseAddress,
      'a URL such as http://collector.internal:4318, without /v1/traces',
    ),
    otlp_headers: read('OTEL_EXPORTER_OTLP_HEADERS', {}, headerPairs, pairs_format),
    otel_service_name: read('OTEL_SERVICE_NAME', undefined, (text) => text, 'a name'),
    otel_resource_attributes: read('OTEL_RESOURCE_ATTRIBUTES', {}, namedValues, pairs_format),
    otel_sample_ratio: read('OTEL_TRACES_SAMPLER_ARG', 1, ratio, 'a number from 0 to 1'),
    log_level: read(
      'LOG_LEVEL',
      'info',
      (text) => levels.find((level) => level === text),
      `one of ${levels.join(', ')}`,
    ),
    // Only the launcher sets these variables.
    restarts: read('PARLEY_RESTARTS', 0, (text) => wholeNumber(text, Number.MAX_SAFE_INTEGER), 'a whole number'),
    process: read('PARLEY_PROCESS', 1, (text) => wholeNumber(text, Number.MAX_SAFE_INTEGER, 1), 'a whole number'),
  })
}

/** The address that clients use. `port` is the bound port, because PORT may be 0. */
export function addressOf({ host, public_url }: Config, port: number): string {
  if (public_url) return public_url
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`
}

/** Quotes a wrong value for the error message. A secret is not shown, only its length. */
const quoteValue = (name: string, text: string): string =>
  /KEY|TOKEN|DATABASE_URL|BLOB_URL|OTLP/.test(name)
    ? `another value (${text.length} characters, not shown)`
    : `"${text}"`

const portNumber = (text: string): number | undefined => wholeNumber(text, 65_535)

function wholeNumber(text: string, maximum: number, minimum = 0): number | undefined {
  return /^\d+$/.test(text) && Number(text) <= maximum && Number(text) >= minimum ? Number(text) : undefined
}

function baseAddress(text: string): string | undefined {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username) return undefined
  return url.href.replace(/\/+$/, '')
}

const ratio = (text: string): number | undefined =>
  /^(\d+(\.\d*)?|\.\d+)$/.test(text) && Number(text) <= 1 ? Number(text) : undefined

/** Reads `name=value` pairs, separated by commas, as OpenTelemetry writes them. */
function namedValues(text: string): Record<string, string> | undefined {
  const pairs = splitList(text).map((pair) => /^([^=\s]+)\s*=\s*(.*)$/.exec(pair)?.slice(1) ?? [])
  try {
    const decoded = pairs.map(([name, value]) => [name, decodeURIComponent(value ?? '')])
    return pairs.every(([name]) => name !== undefined) ? Object.fromEntries(decoded) : undefined
  } catch {
    return undefined
  }
}

function headerPairs(text: string): Record<string, string> | undefined {
  const headers = Object.entries(namedValues(text) ?? { '': '' })
  const are_valid = headers.every(([name, value]) => /^[\w!#$%&'*+.^`|~-]+$/.test(name) && /^[\x20-\x7e]*$/.test(value))
  return are_valid ? Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value])) : undefined
}

function databaseUrl(text: string): string | undefined {
  return /^postgres(ql)?:$/.test(URL.parse(text)?.protocol ?? '') ? text : undefined
}

function secretsKey(text: string): string | undefined {
  return text.length >= secrets_key_length_min ? text : undefined
}

function networks(text: string): string[] | undefined {
  const all = splitList(text)
  return all.every(parseNetwork) ? all : undefined
}

/**
 * Reads origins in the form in which browsers send them: without a path, in lower case, without the port of the scheme.
 */
function origins(text: string): string[] | undefined {
  const all = splitList(text)
  const isOrigin = (origin: string) => /^https?:[^*]*$/.test(origin) && URL.parse(origin)?.origin === origin
  return text === '*' || all.every(isOrigin) ? all : undefined
}

function hosts(text: string): string[] | undefined {
  const all = splitList(text)
  return all.every((host) => parseNetwork(host) || /^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/i.test(host)) ? all : undefined
}

/** Returns the text if a header can carry it: other characters than these can't be sent. */
const headerText = (text: string): string | undefined => (/^[\x21-\x7e]+$/.test(text) ? text : undefined)

const modelName = (text: string): string | undefined => (/^\S{1,200}$/.test(text) ? text : undefined)

function modelNames(text: string): string[] | undefined {
  const all = splitList(text)
  return all.every(modelName) ? all : undefined
}

const splitList = (text: string): string[] => text.split(',').map((one) => one.trim())
