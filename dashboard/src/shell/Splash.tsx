import { Loader } from '@mantine/core'
import styles from './shell.module.css'

export const Splash = () => (
  <main id="main" className={styles.splash} aria-label="Loading">
    <Loader color="teal" size="sm" type="dots" />
  </main>
)
