// Loop nest: privatization + distribution + interchange
typedef uint uint32_t;

__kernel void tankLevels( __global real* inflow
                        , __global real* levels
                        , uint32_t days, uint32_t tanks
                        ) {
    uint32_t gid = get_global_id(0);
    if(gid >= tanks) return;

    uint32_t i;
    real accum = 0.0f;
    for(i = 0; i < days; i++) {
        accum = accum + inflow[i*tanks + gid];
        if(accum < 0.0f) {
            accum = 0.0f;
        }
        levels[i*tanks + gid] = accum;
    }
}

__kernel void tankGains( __global real* levels
                       , __global real* gains
                       , uint32_t days, uint32_t tanks
                       ) {
    uint32_t gidx = get_global_id(0);
    uint32_t gidy = get_global_id(1);
    if( (gidx < tanks) && (gidy < days) ) {
        gains[gidy*tanks + gidx] = levels[(days-1)*tanks + gidx] - levels[gidy*tanks + gidx];
    }
}
