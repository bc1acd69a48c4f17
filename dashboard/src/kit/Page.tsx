import { type ReactNode, useEffect } from 'react'
import styles from './page.module.css'

interface PageProps {
  title: string
  description?: ReactNode
  actions?: ReactNode
  children: ReactNode
}

export function Page({ title, description, actions, children }: PageProps) {
  useTitle(title)
  return (
    <div className={styles.page}>
      <div className={styles.head}>
        <div>
          <h1 className={styles.title}>{title}</h1>
          {description && <p className={styles.description}>{description}</p>}
        </div>
        {actions && <div className={styles.actions}>{actions}</div>}
      </div>
      {children}
    </div>
  )
}

export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Parley`
  }, [title])
}

interface CardProps {
  title?: string
  aside?: ReactNode
  is_flush?: boolean
  children: ReactNode
}

export function Card({ title, aside, is_flush = false, children }: CardProps) {
  return (
    <section className={`${styles.card} ${is_flush ? '' : styles.padded}`} aria-label={title}>
      {title && (
        <div className={styles.cardHead}>
          <h2 className={styles.cardTitle}>{title}</h2>
          {aside}
        </div>
      )}
      {children}
    </section>
  )
}

export const Stack = ({ children }: { children: ReactNode }) => <div className={styles.stack}>{children}</div>
