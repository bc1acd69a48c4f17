import { errorCode } from '../../problem.ts'

/** A statement needs a node of a sharded database that doesn't answer. */
export class NodeSilentError extends Error {}

/**
 * Whether the coordinator of a sharded database didn't reach a node. Some of its errors have the code of a bug. What a
 * node itself reports while it stops has a line that names the node.
 */
export const isNodeFault = (error: unknown): boolean => {
  if (error instanceof NodeSilentError) return true
  if (!(error instanceof Error)) return false
  const where = 'where' in error ? String(error.where) : ''
  return (
    /^(connection to the remote node |failure on connection marked as essential|could not (establish any connections to the node|commit transaction for shard|connect to any active placements))/.test(
      error.message,
    ) ||
    (where.includes('while executing command on ') &&
      (/^(08|53|57P0)/.test(errorCode(error) ?? '') ||
        /^(server closed the connection|connection not open|no connection to|could not (receive|send) data)/.test(
          error.message,
        )))
  )
}
