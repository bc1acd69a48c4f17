import { useLayoutEffect, useRef } from 'react'
import type { Turn } from '../../../server/conversations/schema.ts'
import { JsonBlock } from '../kit/CodeBlock.tsx'
import { Disclosure } from '../kit/Disclosure.tsx'
import { formatNumber } from '../kit/format.ts'
import { RelativeTime } from '../kit/RelativeTime.tsx'
import styles from './conversations.module.css'
import { MessageStatus } from './MessageStatus.tsx'
import type { OpenTurn } from './useConversation.ts'

/** Closer to the end than this, the transcript follows what is said. */
const follow_px = 80

interface TranscriptProps {
  turns: Turn[]
  open_turn: OpenTurn | undefined
  is_answering: boolean
  /** Whose words are on the right. */
  own: 'contact' | 'agent'
  names: Record<Turn['role'], string>
}

export function Transcript({ turns, open_turn, is_answering, own, names }: TranscriptProps) {
  const frame = useRef<HTMLDivElement>(null)
  const is_following = useRef(true)
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever something is added
  useLayoutEffect(() => {
    if (is_following.current) frame.current?.scrollTo({ top: frame.current.scrollHeight })
  }, [turns, open_turn, is_answering])
  const isOwn = (role: Turn['role']) => (own === 'contact') === (role === 'contact')
  return (
    <section
      className={styles.transcript}
      aria-label="Transcript"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must be able to scroll it
      tabIndex={0}
      ref={frame}
      onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
        is_following.current = scrollHeight - scrollTop - clientHeight < follow_px
      }}
    >
      <div role="log" className={styles.turns}>
        {turns.map((turn) => (
          <TurnView key={turn.seq} turn={turn} is_own={isOwn(turn.role)} name={names[turn.role]} />
        ))}
      </div>
      {(open_turn || is_answering) && (
        <div className={styles.turn} data-own={isOwn('agent')} data-role="agent">
          <p className={styles.said}>
            {open_turn?.text || (
              <span className={styles.typing} role="status" aria-label={`${names.agent} is answering`}>
                <i />
                <i />
                <i />
              </span>
            )}
          </p>
        </div>
      )}
    </section>
  )
}

function TurnView({ turn, is_own, name }: { turn: Turn; is_own: boolean; name: string }) {
  return (
    <div className={styles.turn} data-own={is_own} data-role={turn.role}>
      {turn.tools.map((run) => (
        <ToolRunView key={run.id} run={run} />
      ))}
      {turn.text && <p className={styles.said}>{turn.text}</p>}
      {turn.error && <p className={styles.error}>The model couldn’t answer: {turn.error}</p>}
      <p className={styles.meta}>
        {name} · <RelativeTime time={turn.created_at} />
        {turn.is_interrupted && ' · Interrupted'}
        {turn.message && turn.role !== 'contact' && (
          <>
            {' · '}
            <MessageStatus message={turn.message} />
          </>
        )}
      </p>
    </div>
  )
}

const tool_status_names: Record<Turn['tools'][number]['status'], string> = {
  running: 'Running',
  succeeded: 'Succeeded',
  failed: 'Failed',
  timeout: 'Timed out',
  invalid_arguments: 'Invalid arguments',
  unknown: 'Unknown result',
}

function ToolRunView({ run }: { run: Turn['tools'][number] }) {
  const { name, status, duration_ms } = run
  return (
    <div className={styles.tool}>
      <Disclosure
        summary={
          <>
            <code>{name}</code>
            <span data-status={status} className={styles.toolStatus}>
              {tool_status_names[status]}
            </span>
            {duration_ms !== null && <span className={styles.duration}>{formatNumber(duration_ms)} ms</span>}
          </>
        }
      >
        <JsonBlock label={`Arguments of ${name}`} value={run.arguments} />
        <JsonBlock label={`Result of ${name}`} value={run.result} />
      </Disclosure>
    </div>
  )
}
