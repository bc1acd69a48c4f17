import type { ReactNode } from 'react'
import { useTitle } from '../kit/Page.tsx'
import { addressOf } from '../kit/request.ts'
import styles from './centered-page.module.css'

interface GateProps {
  title: string
  about?: ReactNode
  foot?: ReactNode
  children?: ReactNode
}

/** A page for who is not in a workspace yet. */
export function Gate({ title, about, foot, children }: GateProps) {
  useTitle(title)
  return (
    <main id="main" className={styles.gate}>
      <div className={styles.box}>
        <div className={styles.brand}>
          <img src={addressOf('assets/parley.svg')} alt="" width={32} height={32} />
          Parley
        </div>
        <div className={styles.card}>
          <h1 className={styles.title}>{title}</h1>
          {about && <p className={styles.about}>{about}</p>}
          {children && <div className={styles.body}>{children}</div>}
        </div>
        {foot && <p className={styles.foot}>{foot}</p>}
      </div>
    </main>
  )
}
