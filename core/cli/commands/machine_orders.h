/*
 * machine_orders.h - `slabscope order --machine FILE`: the caches of a real machine under two order rules.
 */
#ifndef CLI_COMMANDS_MACHINE_ORDERS_H
#define CLI_COMMANDS_MACHINE_ORDERS_H

#include "cli/host/host.h"

/* Opens its own session. Changes args: a page size that no simulated machine has is allowed here. */
int order_machine(struct args *args);

#endif
