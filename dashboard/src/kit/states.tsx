import { Alert, Button, Skeleton } from '@mantine/core'
import type { ReactNode } from 'react'
import { AlertIcon } from './icons.tsx'
import styles from './page.module.css'
import { sayOf } from './problems.ts'

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

/** What could not be loaded, and a way to try again. */
export function Failure({ error, retry }: { error: unknown; retry?: () => unknown }) {
  return (
    <Empty
      icon={<AlertIcon size={24} />}
      title="This could not be loaded"
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
