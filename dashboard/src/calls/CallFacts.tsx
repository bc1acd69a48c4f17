import { Anchor } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Call, CallEvent } from '../../../server/calls/schema.ts'
import { ContactName } from '../conversations/ContactName.tsx'
import { ContactFacts, Facts, FactsState, Members } from '../conversations/Facts.tsx'
import { useChannelName } from '../conversations/useChannelName.ts'
import { useApi } from '../kit/api.ts'
import { Fact } from '../kit/FactList.tsx'
import { formatDuration, formatExactTime, formatMicros, formatNumber, formatTime } from '../kit/format.ts'
import { formatPhoneNumber } from '../kit/phone-number.ts'
import { LoadError, LoadingSkeleton } from '../kit/states.tsx'
import { CallStatus } from './CallStatus.tsx'
import {
  callEventsQuery,
  describeEnd,
  direction_names,
  ender_names,
  isOver,
  recording_status_names,
  toNamed,
} from './call.ts'
import styles from './calls.module.css'

/** The contact, and what is known about the call. */
export function CallFacts({ call }: { call: Call }) {
  const { workspace } = useApi()
  const channel = useChannelName(call)
  const { agent_id, agent_name, agent_version, latency, usage } = call
  return (
    <>
      {call.summary && (
        <Facts title="Summary">
          <Fact name="Summary">{call.summary}</Fact>
        </Facts>
      )}
      {call.contact_id ? (
        <ContactFacts id={call.contact_id} />
      ) : (
        <Facts title="Contact">
          <Fact name="Contact">
            <ContactName of={toNamed(call)} />
          </Fact>
        </Facts>
      )}
      <Facts title="Call">
        <Fact name="Status">
          <CallStatus call={call} />
        </Fact>
        <Fact name="Ended">{call.end_reason && describeEnd(call, call.end_reason)}</Fact>
        <Fact name="Ended by">{call.ended_by && ender_names[call.ended_by]}</Fact>
        <Fact name="Direction">{direction_names[call.direction]}</Fact>
        <Fact name="From">{call.from && formatPhoneNumber(call.from)}</Fact>
        <Fact name="To">{call.to && formatPhoneNumber(call.to)}</Fact>
        <Fact name="Agent">
          <Anchor
            fz="inherit"
            renderRoot={(props) => (
              <Link to="/w/$workspace/agents/$id" params={{ workspace, id: agent_id }} {...props} />
            )}
          >
            {agent_name}
          </Anchor>
        </Fact>
        <Fact name="Version">{agent_version.version_label}</Fact>
        <Fact name="Channel">{channel}</Fact>
        <Fact name="Attempt">{call.attempt > 1 && formatNumber(call.attempt)}</Fact>
        <Fact name="Recording">
          {call.answered_at && isOver(call) && recording_status_names[call.recording.status]}
        </Fact>
        <Fact name="ID">
          <code>{call.id}</code>
        </Fact>
      </Facts>
      <Facts title="Times">
        <Fact name="Created">{formatExactTime(call.created_at)}</Fact>
        <Fact name="Scheduled">{call.scheduled_at && formatTime(call.scheduled_at)}</Fact>
        <Fact name={dialed_names[call.direction]}>{call.started_at && formatExactTime(call.started_at)}</Fact>
        <Fact name="Answered">{call.answered_at && formatExactTime(call.answered_at)}</Fact>
        <Fact name="Ended">{call.ended_at && formatExactTime(call.ended_at)}</Fact>
        <Fact name="Duration">{call.duration_ms !== null && formatDuration(call.duration_ms)}</Fact>
      </Facts>
      <Facts title="Figures">
        <Fact name="Turns">{formatNumber(call.turn_count)}</Fact>
        <Fact name="Response">
          {latency.turn_p50_ms !== null &&
            `Median ${formatNumber(latency.turn_p50_ms)} ms, 95th percentile ${formatNumber(latency.turn_p95_ms ?? latency.turn_p50_ms)} ms`}
        </Fact>
        <Fact name="Tokens">
          {usage.input_tokens + usage.output_tokens > 0 &&
            `${formatNumber(usage.input_tokens)} in, ${formatNumber(usage.output_tokens)} out`}
        </Fact>
        <Fact name="Cost">{call.cost_micros > 0 && formatMicros(call.cost_micros)}</Fact>
      </Facts>
      <Members title="Results" members={call.results} />
      <Members title="Metadata" members={call.metadata} />
      <LineEvents call={call} />
    </>
  )
}

/** Shows what the carrier and others have reported. */
function LineEvents({ call }: { call: Call }) {
  const { data, error, refetch } = useQuery(callEventsQuery(useApi(), call))
  if (!data) {
    return (
      <FactsState title="Line">
        {error ? <LoadError error={error} retry={refetch} /> : <LoadingSkeleton lines={3} />}
      </FactsState>
    )
  }
  if (data.length === 0) return null
  return (
    <Facts title="Line">
      <div className={styles.events}>
        <dt>Events</dt>
        {data.map((event) => (
          <dd key={event.seq}>
            <span>{describeEvent(call, event)}</span>
            <time dateTime={event.at}>{formatExactTime(event.at)}</time>
          </dd>
        ))}
      </div>
    </Facts>
  )
}

const source_names: Record<CallEvent['source'], string> = {
  carrier: 'carrier',
  contact: 'contact',
  agent: 'agent',
  human: 'your team',
  system: 'system',
}

/** An inbound call began, and was not dialled by the service. */
const dialed_names: Record<Call['direction'], string> = { inbound: 'Began', outbound: 'Dialled' }

const event_names: Record<string, string> = {
  queued: 'Queued',
  ringing: 'Ringing',
  answered: 'Answered',
  machine: 'Answered by',
  final: 'Line ended',
  ended: 'Call ended',
}

/** "final.no_answer" of the carrier is "Line ended: no answer (carrier)". */
function describeEvent({ direction }: Call, { kind, source }: CallEvent): string {
  const [what = '', value] = kind.split('.')
  const words = value ? `: ${value.replaceAll('_', ' ')}` : ''
  const name = what === 'dialed' ? dialed_names[direction] : (event_names[what] ?? what)
  return `${name}${words} (${source_names[source]})`
}
