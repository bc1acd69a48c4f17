import './theme/inter.css'
import './theme/mantine.css'
import './theme/tokens.css'
import { MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { createQueryClient } from './client.ts'
import { startFirstRequests } from './first-requests.ts'
import { ClaimsContext, openClaims } from './kit/claims.ts'
import { ConnectionContext, openConnection } from './kit/connection.ts'
import { Toasts } from './kit/Toasts.tsx'
import { router } from './router.tsx'
import { theme } from './theme/theme.ts'

const root = document.getElementById('root')
if (!root) throw new Error('index.html has no #root element')

const connection = openConnection()
const claims = openClaims()
const client = createQueryClient(connection)
void startFirstRequests(client, router)

createRoot(root).render(
  <StrictMode>
    <MantineProvider theme={theme} defaultColorScheme="auto" withCssVariables={false} withGlobalClasses={false}>
      <ConnectionContext value={connection}>
        <ClaimsContext value={claims}>
          <QueryClientProvider client={client}>
            <RouterProvider router={router} />
            {/* The toasts come last, so that the first Tab reaches the skip link. */}
            <Toasts />
          </QueryClientProvider>
        </ClaimsContext>
      </ConnectionContext>
    </MantineProvider>
  </StrictMode>,
)
