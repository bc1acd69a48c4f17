import { type ReactNode, useLayoutEffect, useRef } from 'react'

/** Closer to the end than this, the section follows what is added. */
const follow_px = 80

interface FollowingSectionProps {
  label: string
  className: string | undefined
  children: ReactNode
}

/** A section that scrolls to what is added at its end, unless the reader has scrolled up. */
export function FollowingSection({ label, className, children }: FollowingSectionProps) {
  const frame = useRef<HTMLElement>(null)
  const is_following = useRef(true)
  useLayoutEffect(() => {
    if (is_following.current) frame.current?.scrollTo({ top: frame.current.scrollHeight })
  })
  return (
    <section
      className={className}
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must be able to scroll it
      tabIndex={0}
      ref={frame}
      onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
        is_following.current = scrollHeight - scrollTop - clientHeight < follow_px
      }}
    >
      {children}
    </section>
  )
}
