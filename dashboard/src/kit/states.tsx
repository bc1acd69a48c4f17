import { Alert, Button, Skeleton } from '@mantine/core'
import type { ReactNode } from 'react'
import { sayOf } from './error-messages.ts'
import { AlertIcon, SearchIcon } from './icons.tsx'
import styles from './page.module.css'
import { Problem } from './request.ts'

interface EmptyProps {
  icon: ReactNode
  title: string
  children?: ReactNode
  action?: ReactNode
}

export function Empty({ icon, title, children, action }: EmptyProps) {
  return (
    <div className={styles.empty}>
      <div className={styles.emptyIcon}>{icon}</div>
      <h2 className={styles.emptyTitle}>{title}</h2>
      {children && <p className={styles.emptyText}>{children}</p>}
      {action}
    </div>
  )
}

interface FailureProps {
  error: unknown
  retry?: () => unknown
  /** Names the resource of a page: a 404 then says that it doesn't exist, without a retry. */
  noun?: string
}

export function Failure({ error, retry, noun }: FailureProps) {
  if (noun && error instanceof Problem && error.status === 404) {
    return (
      <Empty icon={<SearchIcon size={24} />} title={`${noun} not found`}>
        It may have been deleted, or the link may be wrong.
      </Empty>
    )
  }
  return (
    <Empty
      icon={<AlertIcon size={24} />}
      title="Couldn’t load this page"
      action={
        retry && (
          <Button variant="default" onClick={() => void retry()}>
            Try again
          </Button>
        )
      }
    >
      <span role="alert">{sayOf(error)}</span>
    </Empty>
  )
}

export function Refusal({ children }: { children: ReactNode }) {
  if (!children) return null
  return (
    <Alert color="red" variant="light" role="alert" icon={<AlertIcon />}>
      {children}
    </Alert>
  )
}

/** Lines in the place of what is on its way. */
export function Waiting({ lines = 4, height = 18 }: { lines?: number; height?: number }) {
  return (
    <div className={styles.stack} role="status" aria-label="Loading">
      {Array.from({ length: lines }, (_, line) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are all the same
        <Skeleton key={line} height={height} width={`${100 - ((line * 17) % 40)}%`} radius="sm" />
      ))}
    </div>
  )
}
