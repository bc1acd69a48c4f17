import { useLayoutEffect, useRef } from 'react'
import type { Words as Said } from '../../../voice/src/types.ts'
import styles from './talk.module.css'

/** Closer to the end than this, it follows what is said. */
const follow_px = 80

/** What is said, as it is said. */
export function Words({ words }: { words: Said[] }) {
  const frame = useRef<HTMLElement>(null)
  const is_following = useRef(true)
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever something is said
  useLayoutEffect(() => {
    if (is_following.current) frame.current?.scrollTo({ top: frame.current.scrollHeight })
  }, [words])
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
      <div role="log" className={styles.words}>
        {words.map(({ role, text }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: words are only added at the end
          <p key={index} className={styles.said} data-role={role}>
            <span className={styles.who}>{role === 'agent' ? 'Agent' : 'You'}</span>
            {text}
          </p>
        ))}
      </div>
    </section>
  )
}
