import { Alert, Button, Skeleton } from '@mantine/core'
import type { ReactNode } from 'react'
import { errorMessage } from './error-messages.ts'
import { AlertIcon, SearchIcon } from './icons.tsx'
import styles from './page.module.css'
import { ParleyError } from './request.ts'

interface EmptyStateProps {
  icon: ReactNode
  title: string
  children?: ReactNode
  action?: ReactNode
}

export function EmptyState({ icon, title, children, action }: EmptyStateProps) {
  return (
    <div className={styles.empty}>
      <div className={styles.emptyIcon}>{icon}</div>
      <h2 className={styles.emptyTitle}>{title}</h2>
      {children && <p className={styles.emptyText}>{children}</p>}
      {action}
    </div>
  )
}

interface LoadErrorProps {
  error: unknown
  retry?: () => unknown
  /** The noun of the page's resource. With it, a 404 reads "Agent not found" and offers no retry. */
  noun?: string
}

export function LoadError({ error, retry, noun }: LoadErrorProps) {
  if (noun && error instanceof ParleyError && error.status === 404) {
    return (
      <EmptyState icon={<SearchIcon size={24} />} title={`${noun} not found`}>
        It may have been deleted, or the link may be wrong.
      </EmptyState>
    )
  }
  return (
    <EmptyState
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
      <span role="alert">{errorMessage(error)}</span>
    </EmptyState>
  )
}

export function ErrorAlert({ children }: { children: ReactNode }) {
  if (!children) return null
  return (
    <Alert color="red" variant="light" role="alert" icon={<AlertIcon />}>
      {children}
    </Alert>
  )
}

export function LoadingSkeleton({ lines = 4, height = 18 }: { lines?: number; height?: number }) {
  return (
    <div className={styles.stack} role="status" aria-label="Loading">
      {Array.from({ length: lines }, (_, line) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines are identical
        <Skeleton key={line} height={height} width={`${100 - ((line * 17) % 40)}%`} radius="sm" />
      ))}
    </div>
  )
}
