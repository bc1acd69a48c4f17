import { type Static, Type } from 'typebox'

/** A count. Null when it could not be read. */
const Count = Type.Unsafe<number | null>({ type: ['integer', 'null'] })

const Node = Type.Object({ name: Type.String(), is_up: Type.Boolean() })

const Engine = Type.Object({
  kind: Type.String({ description: 'A kind of background work.' }),
  due: Type.Integer({ description: 'Items that wait in live workspaces, counted up to 10,000.' }),
  lag_seconds: Type.Integer({ description: 'How long the oldest of them has waited.' }),
})

/** The status of the whole service, for the people who run it. It belongs to no workspace. */
export const InstallationStatus = Type.Object(
  {
    version: Type.String(),
    database: Type.String({ description: 'Its name and where it is, without a password.' }),
    nodes: Type.Array(Node, { description: 'The servers of a sharded database. Empty for others.' }),
    engines: Type.Array(Engine),
    calls_live: Count,
    webhooks_failing: Count,
    channels_failing: Count,
    disk: Type.Object({ free_bytes: Count }),
    attention: Type.Array(Type.String(), { description: 'What someone should look at, as sentences.' }),
  },
  { title: 'InstallationStatus' },
)
export type InstallationStatus = Static<typeof InstallationStatus>
