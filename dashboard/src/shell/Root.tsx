import { Outlet } from '@tanstack/react-router'
import styles from './shell.module.css'

export function Root() {
  return (
    <>
      <a className={styles.skip} href="#main">
        Skip to content
      </a>
      <Outlet />
    </>
  )
}
