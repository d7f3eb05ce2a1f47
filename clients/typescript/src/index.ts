/** The client of Keepsake for agent runtimes. */

export { Keepsake, type Options, type Told, type User } from './client.js';
export { KeepsakeError, NoAnswer, Problem } from './problem.js';
export type { Pace } from './transport.js';
export type * from './types.js';
