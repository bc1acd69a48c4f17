import { Anchor, Select } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { TestFailure, TestRunResult } from '../../../server/agent-tests/schema.ts'
import type { Turn } from '../../../server/conversations/schema.ts'
import { turnsQuery } from '../conversations/conversation.ts'
import { Transcript } from '../conversations/Transcript.tsx'
import { useApi } from '../kit/api.ts'
import { AlertIcon } from '../kit/icons.tsx'
import { ParleyError } from '../kit/request.ts'
import { Status } from '../kit/Status.tsx'
import { ErrorAlert, LoadError, LoadingSkeleton } from '../kit/states.tsx'
import styles from './agent-tests.module.css'
import { Differences } from './Differences.tsx'
import { describeResult, describesReplay } from './test.ts'

const names: Record<Turn['role'], string> = { contact: 'Contact', agent: 'Agent', human: 'Your team', system: 'System' }

/** Shows how one test went: the conversation, with each failure at the turn at which it shows. */
export function ResultView({ result }: { result: TestRunResult }) {
  const is_replay = describesReplay(result)
  const { tone, text } = describeResult({ ...result, is_replay })
  const [conversation_id, setConversation] = useState(result.conversation_id)
  const failures = result.failures.filter((one) => !one.conversation_id || one.conversation_id === conversation_id)
  return (
    <div className={styles.result}>
      <p className={styles.facts}>
        <Status tone={tone}>{text}</Status>
        {!result.is_repeatable && (
          <span title="A model answers or judges, or a tool was really called.">Not repeatable</span>
        )}
        {conversation_id && <ConversationLink id={conversation_id}>View conversation</ConversationLink>}
        {result.source_conversation_id && (
          <ConversationLink id={result.source_conversation_id}>View recorded conversation</ConversationLink>
        )}
      </p>
      <ErrorAlert>{result.error}</ErrorAlert>
      {is_replay && <Differences result={result} />}
      {result.conversation_ids.length > 1 && (
        <Select
          label="Run"
          data={result.conversation_ids.map((id, index) => ({
            value: id,
            label: `Run ${index + 1}${hasFailed(result, id) ? ', failed' : ''}`,
          }))}
          value={conversation_id}
          allowDeselect={false}
          onChange={setConversation}
        />
      )}
      {conversation_id ? (
        <Played key={conversation_id} id={conversation_id} failures={failures} />
      ) : (
        <Failures failures={failures} />
      )}
    </div>
  )
}

const hasFailed = ({ failures }: TestRunResult, id: string): boolean =>
  failures.some(({ conversation_id }) => conversation_id === id)

function ConversationLink({ id, children }: { id: string; children: string }) {
  const { workspace } = useApi()
  return (
    <Anchor
      fz="inherit"
      renderRoot={(props) => <Link to="/w/$workspace/conversations/$id" params={{ workspace, id }} {...props} />}
    >
      {children}
    </Anchor>
  )
}

/** The conversation is kept for 30 days, and its failures longer. */
function Played({ id, failures }: { id: string; failures: TestFailure[] }) {
  const { data: turns, error, refetch } = useQuery(turnsQuery(useApi(), id))
  if (error && !turns) {
    const is_gone = error instanceof ParleyError && error.status === 404
    return (
      <>
        <Failures failures={failures} />
        {is_gone ? (
          <p className={styles.explanation}>The conversation is no longer kept.</p>
        ) : (
          <LoadError error={error} retry={refetch} />
        )}
      </>
    )
  }
  if (!turns) return <LoadingSkeleton lines={5} />
  const isAtTurn = ({ seq }: TestFailure) => seq !== null && turns.some((turn) => turn.seq === seq)
  return (
    <>
      <div className={styles.played}>
        <Transcript
          turns={turns}
          open_turns={[]}
          is_answering={false}
          own="agent"
          names={names}
          below={({ seq }) => <Failures failures={failures.filter((one) => one.seq === seq)} />}
        />
      </div>
      <Failures failures={failures.filter((one) => !isAtTurn(one))} />
    </>
  )
}

const Failures = ({ failures }: { failures: TestFailure[] }) => {
  if (failures.length === 0) return null
  return (
    <ul className={styles.failures} aria-label="Failed">
      {failures.map(({ sentence, step, seq }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a failure has no id
        <li key={index}>
          <AlertIcon size={15} />
          <span>
            {step !== null && seq === null && `Line ${step}: `}
            {sentence}
          </span>
        </li>
      ))}
    </ul>
  )
}
