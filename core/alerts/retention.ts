/** How long stores keep an alert. */
export const keepAlertsMs = 90 * 24 * 60 * 60 * 1000
/** How many alerts a store keeps for each organization, and for the gateway. */
export const maxAlertsOfOrganization = 10_000
/** How many deliveries a process takes at a time. */
export const maxTakenDeliveries = 20
