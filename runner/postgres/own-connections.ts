/** Connections to a server that pgduet needs besides those of the load generator. */
export const ownConnections = 5;
