import { createContext, type ReactNode, useContext, useEffect } from 'react'
import styles from './page.module.css'

/** The breadcrumb that the shell shows above each title. */
export const BreadcrumbContext = createContext<ReactNode>(null)

interface PageProps {
  title: string
  /** The title of the browser's tab, if it isn't that of the page. With null, what is inside sets it. */
  browser_title?: string | null
  /** Facts about what the page shows. They never explain the page. */
  description?: ReactNode
  actions?: ReactNode
  tabs?: ReactNode
  /** Whether the page is a form, which is not wider than can be read. Tables take the whole width. */
  is_form?: boolean
  children: ReactNode
}

export function Page({ title, browser_title = title, description, actions, tabs, is_form, children }: PageProps) {
  useTitle(browser_title)
  return (
    <div className={styles.page} data-form={is_form || undefined}>
      <div className={styles.head}>
        <div className={styles.heading}>
          {useContext(BreadcrumbContext)}
          <h1 className={styles.title}>{title}</h1>
          {description && <div className={styles.description}>{description}</div>}
        </div>
        {actions && <div className={styles.actions}>{actions}</div>}
      </div>
      {tabs}
      {children}
    </div>
  )
}

export function useTitle(title: string | null): void {
  useEffect(() => {
    if (title !== null) document.title = `${title} · Parley`
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
