/** An error response from the API to a tool. */
export class RefusedCall extends Error {}
