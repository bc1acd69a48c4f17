import type { At, Tool } from '../../server/kit/at.ts'

/** Returns the same `at` with another value of a tool. Other values of `at` in the service keep theirs. */
export function withTool<A extends At, T>(at: A, tool: Tool<T>, value: T): A {
  const tools = { ...at.tools, opened: new Map(at.tools.opened) }
  tool.set({ tools }, value)
  return { ...at, tools }
}
