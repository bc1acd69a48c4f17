import { Loader } from '@mantine/core'
import styles from './page.module.css'

export const LoadingPage = () => (
  <main id="main" className={styles.loadingPage} aria-label="Loading">
    <Loader color="gray" size="sm" type="dots" />
  </main>
)
