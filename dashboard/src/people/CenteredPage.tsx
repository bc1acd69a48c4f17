import type { ReactNode } from 'react'
import { useTitle } from '../kit/Page.tsx'
import { toUrl } from '../kit/request.ts'
import styles from './centered-page.module.css'

interface CenteredPageProps {
  title: string
  description?: ReactNode
  foot?: ReactNode
  children?: ReactNode
}

/** The layout of pages outside of a workspace. */
export function CenteredPage({ title, description, foot, children }: CenteredPageProps) {
  useTitle(title)
  return (
    <main id="main" className={styles.page}>
      <div className={styles.box}>
        <div className={styles.brand}>
          <img src={toUrl('assets/parley.svg')} alt="" width={32} height={32} />
          Parley
        </div>
        <div className={styles.card}>
          <h1 className={styles.title}>{title}</h1>
          {description && <p className={styles.description}>{description}</p>}
          {children && <div className={styles.body}>{children}</div>}
        </div>
        {foot && <p className={styles.foot}>{foot}</p>}
      </div>
    </main>
  )
}
