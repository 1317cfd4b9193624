import { sizes } from '../tpcc.ts';

/** One of the five transactions, as a script of pgbench. */
export interface Transaction {
  name: string;
  /** Out of 100 transactions; together they are the standard mix (TPC-C 5.2.3). */
  weight: number;
  /** Times of TPC-C 5.2.5.7: before the transaction, and on average after it. */
  keyingSeconds: number;
  thinkingSeconds: number;
  script: string;
}

/**
 * A draw that prefers some values ("non-uniform random", TPC-C 2.1.6).
 *
 * @param a how strongly
 * @param constant any number; the load used another one for names, as the standard requires
 */
const skewed = (a: number, low: number, high: number, constant: number): string =>
  `${low} + ((random(0, ${a}) | random(${low}, ${high})) + ${constant}) % ${high - low + 1}`;

const customer = skewed(1023, 1, sizes.customersPerDistrict, 259);
const item = skewed(8191, 1, sizes.items, 7911);
const name = skewed(255, 0, 999, 223);

/** A client stays with its warehouse. `other_w_id` is another warehouse, if there is more than one. */
const places = `\\set w_id 1 + :client_id % :scale
\\set other_w_id 1 + (:w_id + random(0, greatest(0, :scale - 2))) % :scale
\\set d_id random(1, ${sizes.districtsPerWarehouse})`;

/** Three of five customers are found by their name: of all with that name, the one in the middle. */
const byName = (warehouse: string, district: string): string => `\\set by_name random(1, 100)
\\set name ${name}
\\set c_id ${customer}
BEGIN;
\\if :by_name <= 60
SELECT c_id FROM (SELECT c_id, row_number() OVER (ORDER BY c_first) AS place, count(*) OVER () AS found
    FROM customer WHERE c_w_id = ${warehouse} AND c_d_id = ${district} AND c_last = last_name(:name)) AS named
  WHERE place = (found + 1) / 2 \\gset
\\endif`;

const max = 15;
const numbers = Array.from({ length: max }, (_, index) => index + 1);
const array = (prefix: string): string => `ARRAY[${numbers.map((number) => `:${prefix}${number}`).join(', ')}]::int[]`;

/**
 * One in a hundred asks for an item that does not exist, and is rolled back; one line in a hundred comes from another
 * warehouse.
 */
const newOrder = `${places}
\\set c_id ${customer}
\\set lines random(5, ${max})
\\set wrong random(1, 100)
${numbers
  .map(
    (number) => `\\set i${number} ${item}
\\set s${number} case when random(1, 100) = 1 then :other_w_id else :w_id end
\\set q${number} random(1, 10)`,
  )
  .join('\n')}
${numbers
  .filter((number) => number >= 5)
  .map((number) => `\\set i${number} case when :wrong = 1 and :lines = ${number} then 0 else :i${number} end`)
  .join('\n')}
BEGIN;
SELECT w_tax FROM warehouse WHERE w_id = :w_id \\gset
UPDATE district SET d_next_o_id = d_next_o_id + 1 WHERE d_w_id = :w_id AND d_id = :d_id
  RETURNING d_next_o_id - 1 AS o_id, d_tax \\gset
SELECT c_discount, c_last, c_credit FROM customer WHERE c_w_id = :w_id AND c_d_id = :d_id AND c_id = :c_id;
WITH wanted AS (SELECT * FROM unnest(${array('i')}, ${array('s')}, ${array('q')})
    WITH ORDINALITY AS line (i_id, w_id, quantity, number) WHERE number <= :lines)
INSERT INTO orders SELECT :w_id::int, :d_id::int, :o_id::int, :c_id::int, now(), NULL, :lines::int, CASE WHEN bool_and(w_id = :w_id) THEN 1 ELSE 0 END
  FROM wanted;
INSERT INTO new_order VALUES (:w_id, :d_id, :o_id);
WITH wanted AS (SELECT * FROM unnest(${array('i')}, ${array('s')}, ${array('q')})
    WITH ORDINALITY AS line (i_id, w_id, quantity, number) WHERE number <= :lines),
  asked AS (SELECT i_id, w_id, sum(quantity)::int AS quantity, count(*)::int AS orders FROM wanted GROUP BY i_id, w_id),
  locked AS MATERIALIZED (SELECT s_w_id, s_i_id FROM stock JOIN asked ON (s_w_id, s_i_id) = (w_id, i_id)
    ORDER BY s_w_id, s_i_id FOR UPDATE OF stock),
  taken AS (UPDATE stock SET
      s_quantity = s_quantity - asked.quantity + CASE WHEN s_quantity >= asked.quantity + 10 THEN 0 ELSE 91 END,
      s_ytd = s_ytd + asked.quantity, s_order_cnt = s_order_cnt + asked.orders,
      s_remote_cnt = s_remote_cnt + CASE WHEN stock.s_w_id = :w_id THEN 0 ELSE asked.orders END
    FROM locked JOIN asked ON (locked.s_w_id, locked.s_i_id) = (asked.w_id, asked.i_id)
    WHERE (stock.s_w_id, stock.s_i_id) = (locked.s_w_id, locked.s_i_id)
    RETURNING stock.s_w_id, stock.s_i_id, s_dist[:d_id] AS dist_info),
  ordered AS (INSERT INTO order_line
    SELECT :w_id::int, :d_id::int, :o_id::int, number, item.i_id, w_id, NULL, quantity, quantity * i_price, dist_info
    FROM wanted JOIN item USING (i_id) JOIN taken ON (s_w_id, s_i_id) = (w_id, item.i_id)
    RETURNING ol_amount)
SELECT count(*) AS found, round(coalesce(sum(ol_amount), 0) * (1 + :w_tax::numeric + :d_tax::numeric), 2) AS total FROM ordered \\gset
\\if :found = :lines
COMMIT;
\\else
ROLLBACK;
\\endif
`;

/** One payment in seven is by a customer of another warehouse. */
const payment = `${places}
\\set amount random(100, 500000)
\\set local random(1, 100)
\\set c_w_id case when :local <= 85 then :w_id else :other_w_id end
\\set c_d_id case when :local <= 85 then :d_id else random(1, ${sizes.districtsPerWarehouse}) end
${byName(':c_w_id', ':c_d_id')}
UPDATE warehouse SET w_ytd = w_ytd + :amount / 100.0 WHERE w_id = :w_id;
UPDATE district SET d_ytd = d_ytd + :amount / 100.0 WHERE d_w_id = :w_id AND d_id = :d_id;
UPDATE customer SET c_balance = c_balance - :amount / 100.0, c_ytd_payment = c_ytd_payment + :amount / 100.0,
    c_payment_cnt = c_payment_cnt + 1,
    c_data = CASE WHEN c_credit = 'BC'
      THEN left(concat_ws(' ', c_id, c_d_id, c_w_id, :d_id::int, :w_id::int, :amount::int, c_data), 500) ELSE c_data END
  WHERE c_w_id = :c_w_id AND c_d_id = :c_d_id AND c_id = :c_id;
INSERT INTO history SELECT :c_id::int, :c_d_id::int, :c_w_id::int, d_id, w_id, now(), :amount / 100.0, w_name || '    ' || d_name
  FROM warehouse JOIN district ON d_w_id = w_id WHERE w_id = :w_id AND d_id = :d_id;
COMMIT;
`;

const orderStatus = `${places}
${byName(':w_id', ':d_id')}
SELECT c_balance, c_first, c_middle, c_last FROM customer WHERE c_w_id = :w_id AND c_d_id = :d_id AND c_id = :c_id;
SELECT o_id FROM orders WHERE o_w_id = :w_id AND o_d_id = :d_id AND o_c_id = :c_id ORDER BY o_id DESC LIMIT 1 \\gset
SELECT ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_delivery_d FROM order_line
  WHERE ol_w_id = :w_id AND ol_d_id = :d_id AND ol_o_id = :o_id;
COMMIT;
`;

/** The deliveries of a warehouse follow one another, so that no two of them carry the same order. */
const delivery = `${places}
\\set carrier random(1, 10)
BEGIN;
SELECT pg_advisory_xact_lock(:w_id);
WITH oldest AS (SELECT no_w_id, no_d_id, no_o_id FROM generate_series(1, ${sizes.districtsPerWarehouse}) AS district (id),
    LATERAL (SELECT * FROM new_order WHERE no_w_id = :w_id AND no_d_id = district.id ORDER BY no_o_id LIMIT 1) AS first),
  delivered AS (DELETE FROM new_order USING oldest
    WHERE (new_order.no_w_id, new_order.no_d_id, new_order.no_o_id) = (oldest.no_w_id, oldest.no_d_id, oldest.no_o_id)
    RETURNING new_order.*),
  carried AS (UPDATE orders SET o_carrier_id = :carrier FROM delivered
    WHERE (o_w_id, o_d_id, o_id) = (no_w_id, no_d_id, no_o_id) RETURNING o_w_id, o_d_id, o_id, o_c_id),
  lines AS (UPDATE order_line SET ol_delivery_d = now() FROM carried
    WHERE (ol_w_id, ol_d_id, ol_o_id) = (o_w_id, o_d_id, o_id) RETURNING o_w_id, o_d_id, o_c_id, ol_amount),
  owed AS (SELECT o_w_id, o_d_id, o_c_id, sum(ol_amount) AS amount FROM lines GROUP BY o_w_id, o_d_id, o_c_id ORDER BY o_d_id)
UPDATE customer SET c_balance = c_balance + amount, c_delivery_cnt = c_delivery_cnt + 1 FROM owed
  WHERE (c_w_id, c_d_id, c_id) = (o_w_id, o_d_id, o_c_id);
COMMIT;
`;

/** Each client asks for one district, always the same. */
const stockLevel = `\\set w_id 1 + :client_id % :scale
\\set d_id 1 + :client_id / :scale % ${sizes.districtsPerWarehouse}
\\set threshold random(10, 20)
BEGIN;
SELECT d_next_o_id FROM district WHERE d_w_id = :w_id AND d_id = :d_id \\gset
SELECT count(DISTINCT s_i_id) FROM order_line JOIN stock ON (s_w_id, s_i_id) = (ol_w_id, ol_i_id)
  WHERE ol_w_id = :w_id AND ol_d_id = :d_id AND ol_o_id >= :d_next_o_id - 20 AND ol_o_id < :d_next_o_id
    AND s_quantity < :threshold;
COMMIT;
`;

/** The standard mix. */
export const transactions: readonly Transaction[] = [
  { name: 'new-order', weight: 45, keyingSeconds: 18, thinkingSeconds: 12, script: newOrder },
  { name: 'payment', weight: 43, keyingSeconds: 3, thinkingSeconds: 12, script: payment },
  { name: 'order-status', weight: 4, keyingSeconds: 2, thinkingSeconds: 10, script: orderStatus },
  { name: 'delivery', weight: 4, keyingSeconds: 2, thinkingSeconds: 5, script: delivery },
  { name: 'stock-level', weight: 4, keyingSeconds: 2, thinkingSeconds: 5, script: stockLevel },
];

/**
 * The text of a script.
 *
 * @param waits fraction of the standard's keying and thinking times; 0 for none
 */
export function scriptOf({ script, keyingSeconds, thinkingSeconds }: Transaction, waits: number): string {
  if (waits === 0) return script;
  const microseconds = (seconds: number): string => String(Math.round(seconds * waits * 1e6));
  // Negative exponential, and cut at ten times its mean (TPC-C 5.2.5.4).
  const thinking = `least(10, -ln(random(1, 1000000) / 1000000.0)) * ${microseconds(thinkingSeconds)}`;
  return `\\sleep ${microseconds(keyingSeconds)} us
${script}\\set think int(${thinking})
\\sleep :think us
`;
}
