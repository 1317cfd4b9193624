import type { Client } from '../../postgres/client.ts';

/**
 * The consistency conditions 1 to 4 of TPC-C (3.3.2), each with a query for the places where it does not hold. A
 * district without new orders has nothing to compare in the second and third.
 */
const conditions: readonly { number: number; words: string; query: string }[] = [
  {
    number: 1,
    words: 'the balance of a warehouse is the sum of its districts',
    query: `SELECT format('warehouse %s', w_id) AS place FROM warehouse
      JOIN (SELECT d_w_id, sum(d_ytd) AS taken FROM district GROUP BY d_w_id) AS districts ON d_w_id = w_id
      WHERE w_ytd IS DISTINCT FROM taken`,
  },
  {
    number: 2,
    words: 'the number of the next order follows that of the last order and the last new order',
    query: `SELECT format('warehouse %s, district %s', d_w_id, d_id) AS place FROM district
      LEFT JOIN (SELECT o_w_id, o_d_id, max(o_id) AS last FROM orders GROUP BY o_w_id, o_d_id) AS all_orders
        ON (o_w_id, o_d_id) = (d_w_id, d_id)
      LEFT JOIN (SELECT no_w_id, no_d_id, max(no_o_id) AS last FROM new_order GROUP BY no_w_id, no_d_id) AS new_orders
        ON (no_w_id, no_d_id) = (d_w_id, d_id)
      WHERE d_next_o_id - 1 IS DISTINCT FROM all_orders.last OR d_next_o_id - 1 <> new_orders.last`,
  },
  {
    number: 3,
    words: 'the numbers of new orders have no gaps',
    query: `SELECT format('warehouse %s, district %s', no_w_id, no_d_id) AS place FROM new_order
      GROUP BY no_w_id, no_d_id HAVING max(no_o_id) - min(no_o_id) + 1 <> count(*)`,
  },
  {
    number: 4,
    words: 'the number of order lines matches the orders',
    query: `SELECT format('warehouse %s, district %s', coalesce(o_w_id, ol_w_id), coalesce(o_d_id, ol_d_id)) AS place
      FROM (SELECT o_w_id, o_d_id, sum(o_ol_cnt) AS said FROM orders GROUP BY o_w_id, o_d_id) AS said
      FULL JOIN (SELECT ol_w_id, ol_d_id, count(*) AS lines FROM order_line GROUP BY ol_w_id, ol_d_id) AS found
        ON (o_w_id, o_d_id) = (ol_w_id, ol_d_id)
      WHERE said IS DISTINCT FROM lines`,
  },
];

/** @returns what does not hold, each a phrase; empty if the data is consistent */
export async function brokenConditions(client: Client): Promise<string[]> {
  const broken: string[] = [];
  for (const { number, words, query } of conditions) {
    const { rows } = await client.query<{ places: number; first: string | null }>(
      `SELECT count(*)::int AS places, min(place) AS first FROM (${query}) AS broken`,
    );
    const [{ places, first } = { places: 0, first: null }] = rows;
    if (places > 0) {
      broken.push(
        `consistency condition ${number} of TPC-C (${words}) does not hold for ${first ?? 'the data'}${places > 1 ? ` and ${places - 1} more` : ''}`,
      );
    }
  }
  return broken;
}
